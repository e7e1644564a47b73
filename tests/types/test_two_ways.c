/* This file makes one type map in several ways and expects one layout. */
#include <stdlib.h>

#include "base/suite.h"
#include "types/basic.h"
#include "types/made.h"
#include "types/random_type.h"
#include "types/wanted.h"

enum { MOST = 200, BUCKETS = 4 };

/* Blocks of one old type, in the words of several constructors. */
struct blocks {
  MPJ_Count n, lens[MOST], displs[MOST], bucket_lens[BUCKETS];
  MPJ_Aint bytes[MOST];
  int numbers[MOST];
  MPJ_Datatype types[MOST];
};

/* Both have the same map, and so the same layout; frees b. */
static void expect_same(MPJ_Datatype a, MPJ_Datatype b, const char *way, const char *text)
{
  ck_assert_msg(same_map(a, b) && object_of(a)->map.layout == object_of(b)->map.layout,
                "%s over %s", way, text);
  must(MPJ_Type_free(&b));
}

#define SAME(call, way)                                                                            \
  do {                                                                                             \
    must(call);                                                                                    \
    expect_same(first, made, way, old->text);                                                      \
  } while (0)

static void compare_rows(const struct mpj_random_type *old, MPJ_Count n, struct blocks *b)
{
  const MPJ_Aint extent = extent_of(old->type);
  const MPJ_Count zero = 0, whole = n;
  MPJ_Datatype first = contiguous(n, old->type), made;
  for (MPJ_Count i = 0; i < n; i++) {
    b->lens[i] = 1;
    b->displs[i] = i;
    b->bytes[i] = i * extent;
    b->numbers[i] = 1;
    b->types[i] = old->type;
  }
  b->bucket_lens[0] = 7;
  b->bucket_lens[1] = 1;
  SAME(MPJ_Type_vector(n, 1, 1, old->type, &made), "vector");
  SAME(MPJ_Type_vector(1, n, 5, old->type, &made), "vector of one block");
  SAME(MPJ_Type_create_hvector(n, 1, extent, old->type, &made), "hvector");
  SAME(MPJ_Type_indexed(n, b->lens, b->displs, old->type, &made), "indexed");
  SAME(MPJ_Type_create_hindexed(n, b->lens, b->bytes, old->type, &made), "hindexed");
  SAME(MPJ_Type_create_indexed_block(n, 1, b->displs, old->type, &made), "indexed_block");
  SAME(MPJ_Type_create_segment(n, b->lens, old->type, &made), "segment");
  SAME(MPJ_Type_create_struct(n, b->lens, b->bytes, b->types, &made), "struct");
  SAME(MPJ_Type_create_bucket_index(n, 2, b->bucket_lens, b->numbers, b->displs, old->type, &made),
       "bucket_index");
  SAME(MPJ_Type_create_subarray(1, &whole, &whole, &zero, MPJ_ORDER_C, old->type, &made),
       "subarray");
  SAME(MPJ_Type_dup(first, &made), "dup");
  SAME(MPJ_Type_create_resized(first, -3, 77, &made), "resized");
  SAME(MPJ_Type_create_slice(first, 0, n * mpj_ref_elements(old->ref), &made), "slice");
  must(MPJ_Type_free(&first));
}

static void draw_blocks(struct mpj_random *rng, const struct mpj_random_type *old, struct blocks *b)
{
  MPJ_Count at = mpj_random_in(rng, -50, 50);
  b->n = mpj_random_in(rng, 0, 2) ? mpj_random_in(rng, 1, 9) : mpj_random_in(rng, 60, MOST);
  for (int k = 0; k < BUCKETS; k++)
    b->bucket_lens[k] = mpj_random_in(rng, 0, 4);
  for (MPJ_Count i = 0; i < b->n; i++) {
    b->numbers[i] = (int)mpj_random_in(rng, 0, BUCKETS - 1);
    b->lens[i] = b->bucket_lens[b->numbers[i]];
    b->displs[i] = at;
    b->bytes[i] = at * extent_of(old->type);
    b->types[i] = old->type;
    at += b->lens[i] + mpj_random_in(rng, 0, 3);
  }
}

/* Every block as two that follow one another, some of them empty. Where each has one
 * copy at most, nothing says how far apart copies are: those are left out. */
static void compare_halves(const struct mpj_random_type *old, const struct blocks *b,
                           MPJ_Datatype first)
{
  const MPJ_Aint extent = extent_of(old->type);
  MPJ_Count lens[2 * MOST], longest = 0;
  MPJ_Aint bytes[2 * MOST];
  MPJ_Datatype made;
  for (MPJ_Count i = 0; i < b->n; i++) {
    lens[2 * i] = b->lens[i] / 2;
    lens[2 * i + 1] = b->lens[i] - lens[2 * i];
    bytes[2 * i] = b->bytes[i];
    bytes[2 * i + 1] = b->bytes[i] + lens[2 * i] * extent;
    longest = lens[2 * i + 1] > longest ? lens[2 * i + 1] : longest;
  }
  if (longest > 1)
    SAME(MPJ_Type_create_hindexed(2 * b->n, lens, bytes, old->type, &made), "halves");
}

static void compare_blocks(const struct mpj_random_type *old, struct blocks *b)
{
  MPJ_Datatype first = indexed(b->n, b->lens, b->displs, old->type), made;
  SAME(MPJ_Type_create_hindexed(b->n, b->lens, b->bytes, old->type, &made), "hindexed");
  SAME(MPJ_Type_create_bucket_index(b->n, BUCKETS, b->bucket_lens, b->numbers, b->displs, old->type,
                                    &made),
       "bucket_index");
  SAME(MPJ_Type_create_hbucket_index(b->n, BUCKETS, b->bucket_lens, b->numbers, b->bytes, old->type,
                                     &made),
       "hbucket_index");
  SAME(MPJ_Type_create_struct(b->n, b->lens, b->bytes, b->types, &made), "struct");
  compare_halves(old, b, first);
  must(MPJ_Type_free(&first));
}

/* Blocks of two types, with no period. */
static void compare_structs(struct mpj_random *rng, const struct mpj_random_type *old,
                            struct blocks *b)
{
  const MPJ_Datatype buckets[BUCKETS] = {old->type, MPJ_LONG_DOUBLE, old->type, MPJ_CHAR};
  MPJ_Datatype first, made;
  MPJ_Aint at = 0;
  for (MPJ_Count i = 0; i < b->n; i++) {
    b->types[i] = buckets[b->numbers[i]];
    b->bytes[i] = at;
    at += b->lens[i] * extent_of(b->types[i]) + mpj_random_in(rng, 1, 1000) * (i + 1);
  }
  must(MPJ_Type_create_struct(b->n, b->lens, b->bytes, b->types, &first));
  SAME(MPJ_Type_create_bucket_struct(b->n, BUCKETS, b->bucket_lens, buckets, b->numbers, b->bytes,
                                     &made),
       "bucket_struct");
  must(MPJ_Type_free(&first));
}

START_TEST(one_map_has_one_layout)
{
  struct mpj_random rng = {401};
  struct blocks *b = calloc(1, sizeof *b);
  ck_assert_ptr_nonnull(b);
  for (int round = 0; round < types_wanted; round++) {
    struct mpj_random_options options = {.depth = round % 9, .max_elements = 60};
    struct mpj_random_type old;
    mpj_random_type_make(&rng, &options, &old);
    compare_rows(&old, mpj_random_in(&rng, 1, 9), b);
    draw_blocks(&rng, &old, b);
    compare_blocks(&old, b);
    compare_structs(&rng, &old, b);
    mpj_random_type_free(&old);
  }
  free(b);
  nothing_lives();
}
END_TEST

int main(int argc, char **argv)
{
  read_wanted(argc, argv, 400);
  return RUN_SUITE("two ways", one_map_has_one_layout);
}
