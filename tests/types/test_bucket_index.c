/* This file tests bucket indices and bucket structs against the indexed types and
 * structs that have the same map. */
#include "base/memory.h"
#include "base/suite.h"
#include "types/made.h"
#include "types/random_type.h"
#include "types/sequence/sequence.h"

enum { MOST = 900, BUCKETS = 6 };

struct call {
  MPJ_Count n, bucket_lens[BUCKETS], lens[MOST], displs[MOST];
  int nbuckets, numbers[MOST];
};

static void draw(struct mpj_random *rng, struct call *c)
{
  MPJ_Count period = mpj_random_in(rng, 1, 60), at = 0;
  bool repeats = mpj_random_in(rng, 0, 1);
  c->n = mpj_random_in(rng, 0, MOST);
  c->nbuckets = (int)mpj_random_in(rng, 1, BUCKETS);
  for (int b = 0; b < c->nbuckets; b++)
    c->bucket_lens[b] = mpj_random_in(rng, 0, 3) * mpj_random_in(rng, 1, 40);
  for (MPJ_Count i = 0; i < c->n; i++) {
    bool again = repeats && i >= period;
    c->numbers[i] = again ? c->numbers[i - period] : (int)mpj_random_in(rng, 0, c->nbuckets - 1);
    c->lens[i] = c->bucket_lens[c->numbers[i]];
    c->displs[i] = again ? c->displs[i - period] + 3000 : at;
    at += c->lens[i] + mpj_random_in(rng, 0, 40);
  }
}

static void same_parts(MPJ_Datatype a, MPJ_Datatype b)
{
  ck_assert_int_eq(parts_of(a), parts_of(b));
  for (MPJ_Count i = 0; i < parts_of(a); i++) {
    MPJ_Aint displ_a, displ_b;
    MPJ_Datatype part_a, part_b;
    struct mpj_view view_a, view_b;
    must(MPJ_Type_part(a, i, &displ_a, &part_a));
    must(MPJ_Type_part(b, i, &displ_b, &part_b));
    ck_assert(displ_a == displ_b && same_map(part_a, part_b));
    must(mpj_type_part_view(object_of(a), i, &view_a));
    must(mpj_type_part_view(object_of(b), i, &view_b));
    struct mpj_signature sa = mpj_view_signature(&view_a), sb = mpj_view_signature(&view_b);
    ck_assert(view_a.displ == view_b.displ && mpj_signature_equal(&sa, &sb));
    must(MPJ_Type_free(&part_a));
    must(MPJ_Type_free(&part_b));
  }
}

static void same_type(MPJ_Datatype a, MPJ_Datatype b)
{
  ck_assert(mpj_type_check(object_of(a)) && mpj_type_check(object_of(b)));
  ck_assert(same_signature(a, b));
  ck_assert(lb_of(a) == lb_of(b) && extent_of(a) == extent_of(b));
  same_parts(a, b);
}

START_TEST(a_bucket_index_is_an_index)
{
  struct mpj_random rng = {31};
  struct call *c = malloc(sizeof *c);
  ck_assert_ptr_nonnull(c);
  for (int round = 0; round < 60; round++) {
    MPJ_Datatype plain, bucket, old = round % 2 ? vector(2, 1, 3, MPJ_INT) : contiguous(2, MPJ_INT);
    draw(&rng, c);
    must(MPJ_Type_indexed(c->n, c->lens, c->displs, old, &plain));
    must(MPJ_Type_create_bucket_index(c->n, c->nbuckets, c->bucket_lens, c->numbers, c->displs, old,
                                      &bucket));
    ck_assert(same_map(plain, bucket));
    same_type(plain, bucket);
    must(MPJ_Type_free(&bucket));
    must(MPJ_Type_free(&plain));
    must(MPJ_Type_create_hindexed(c->n, c->lens, c->displs, old, &plain));
    must(MPJ_Type_create_hbucket_index(c->n, c->nbuckets, c->bucket_lens, c->numbers, c->displs,
                                       old, &bucket));
    ck_assert(same_map(plain, bucket));
    same_type(plain, bucket);
    MPJ_Datatype all[] = {plain, bucket, old};
    free_types(3, all);
  }
  free(c);
  nothing_lives();
  ck_assert_int_eq(mpj_memory_outstanding(), 0);
}
END_TEST

START_TEST(a_bucket_struct_is_a_struct)
{
  struct mpj_random rng = {32};
  struct call *c = malloc(sizeof *c);
  ck_assert_ptr_nonnull(c);
  MPJ_Datatype types[MOST], pair = vector(2, 1, 2, MPJ_INT);
  const MPJ_Datatype buckets[BUCKETS] = {MPJ_INT, MPJ_DOUBLE, pair, MPJ_INT, MPJ_CHAR, pair};
  for (int round = 0; round < 60; round++) {
    MPJ_Datatype plain, bucket;
    draw(&rng, c);
    for (MPJ_Count i = 0; i < c->n; i++)
      types[i] = buckets[c->numbers[i]];
    must(MPJ_Type_create_struct(c->n, c->lens, c->displs, types, &plain));
    must(MPJ_Type_create_bucket_struct(c->n, c->nbuckets, c->bucket_lens, buckets, c->numbers,
                                       c->displs, &bucket));
    same_type(plain, bucket);
    must(MPJ_Type_free(&bucket));
    must(MPJ_Type_free(&plain));
  }
  must(MPJ_Type_free(&pair));
  free(c);
  nothing_lives();
  ck_assert_int_eq(mpj_memory_outstanding(), 0);
}
END_TEST

enum { MANY = 100000 };

/* Many blocks of four shapes in random order, gaps below 4096 elements. */
static MPJ_Datatype many_blocks(MPJ_Count n, int numbers[], MPJ_Aint displs[])
{
  const MPJ_Count lens[] = {3, 2, 1, 5};
  const MPJ_Datatype types[] = {MPJ_INT, MPJ_DOUBLE, MPJ_FLOAT, MPJ_INT};
  const MPJ_Aint bytes[] = {12, 16, 4, 20};
  struct mpj_random rng = {35};
  MPJ_Aint at = -100000;
  MPJ_Datatype made;
  for (MPJ_Count i = 0; i < n; i++) {
    numbers[i] = (int)mpj_random_in(&rng, 0, 3);
    displs[i] = at;
    at += bytes[numbers[i]] + 4 * mpj_random_in(&rng, 0, 4095);
  }
  must(MPJ_Type_create_bucket_struct(n, 4, lens, types, numbers, displs, &made));
  return made;
}

/* Bytes of the sequences of a long layout, which the parts share. */
static size_t sequence_bytes(const struct mpj_layout *l)
{
  size_t bytes = 0;
  const struct mpj_sequence *all[] = {l->u.seq.rows, l->u.seq.displs, l->u.seq.starts};
  for (int k = 0; k < 3; k++)
    for (const struct mpj_sequence *s = all[k]; s; s = mpj_sequence_inner(s))
      bytes += mpj_sequence_bytes(s);
  return bytes;
}

START_TEST(many_blocks_in_random_order_are_small)
{
  int *numbers = malloc(MANY * sizeof *numbers);
  MPJ_Aint *displs = malloc(MANY * sizeof *displs), displ;
  ck_assert(numbers && displs);
  long before = mpj_memory_outstanding();
  MPJ_Datatype t = many_blocks(MANY, numbers, displs), part;
  const struct mpj_layout *l = layout_of(t);
  ck_assert(l->kind == MPJ_LAYOUT_SEQ && l->u.seq.npieces == MANY);
  ck_assert_uint_lt(sequence_bytes(l), MANY * 5 / 2);
  ck_assert_int_lt(mpj_memory_outstanding() - before, 40);
  for (MPJ_Count i = 0; i < MANY; i += 997) {
    struct mpj_view view;
    must(mpj_type_part_view(object_of(t), i, &view));
    ck_assert(view.displ == displs[i]);
    must(MPJ_Type_part(t, i, &displ, &part));
    ck_assert(displ == displs[i] && mpj_view_bytes(&view) == layout_of(part)->signature.bytes);
    must(MPJ_Type_free(&part));
  }
  must(MPJ_Type_free(&t));
  free(displs);
  free(numbers);
  nothing_lives();
}
END_TEST

/* The four shapes of a matrix whose order the grid does not divide. */
START_TEST(a_grid_of_four_shapes_is_small)
{
  enum { GRID = 300, LINES = 40 };
  const MPJ_Count lens[] = {LINES, LINES, LINES - 1, LINES - 1};
  static int numbers[GRID * GRID];
  static MPJ_Aint displs[GRID * GRID];
  MPJ_Datatype wide = contiguous(7, MPJ_DOUBLE), narrow = contiguous(6, MPJ_DOUBLE), grid;
  MPJ_Datatype rows[] = {resized(wide, 0, 20000), resized(narrow, 0, 20000), NULL, NULL};
  rows[2] = rows[0];
  rows[3] = rows[1];
  for (int i = 0; i < GRID * GRID; i++) {
    numbers[i] = 2 * (i / GRID == GRID - 1) + (i % GRID == GRID - 1);
    displs[i] = (MPJ_Aint)(i / GRID) * LINES * 20000 + i % GRID * 56;
  }
  must(MPJ_Type_create_bucket_struct(GRID * GRID, 4, lens, rows, numbers, displs, &grid));
  ck_assert(mpj_layout_check(object_of(grid)->map.layout));
  struct mpj_view view;
  must(mpj_type_part_view(object_of(grid), GRID * GRID - 1, &view));
  ck_assert_int_eq(mpj_view_bytes(&view), (LINES - 1) * 6 * 8);
  MPJ_Datatype all[] = {wide, narrow, rows[0], rows[1], grid};
  free_types(5, all);
  nothing_lives();
}
END_TEST

START_TEST(wrong_buckets_are_named)
{
  const MPJ_Count lens[] = {1, -2}, good[] = {1, 2}, displs[] = {0, 9};
  const int numbers[] = {0, 2}, below[] = {-1, 0}, fine[] = {0, 1};
  MPJ_Datatype made = MPJ_DATATYPE_NULL;
  must_fail(MPJ_Type_create_bucket_index(2, 2, lens, fine, displs, MPJ_INT, &made), MPJ_ERR_ARG,
            "bucket_blocklens[1] is -2");
  must_fail(MPJ_Type_create_bucket_index(2, 2, good, numbers, displs, MPJ_INT, &made), MPJ_ERR_ARG,
            "bucket_of_block[1] is 2");
  must_fail(MPJ_Type_create_hbucket_index(2, 2, good, below, displs, MPJ_INT, &made), MPJ_ERR_ARG,
            "bucket_of_block[0] is -1");
  must_fail(MPJ_Type_create_bucket_index(2, -1, good, fine, displs, MPJ_INT, &made), MPJ_ERR_ARG,
            "nbuckets is -1");
  must_fail(MPJ_Type_create_bucket_index(2, 2, NULL, fine, displs, MPJ_INT, &made), MPJ_ERR_ARG,
            "bucket_blocklens is NULL");
  must_fail(MPJ_Type_create_bucket_index(2, 2, good, NULL, displs, MPJ_INT, &made), MPJ_ERR_ARG,
            "bucket_of_block is NULL");
  must_fail(MPJ_Type_create_bucket_index(2, 2, good, fine, NULL, MPJ_INT, &made), MPJ_ERR_ARG,
            "displs is NULL");
  const MPJ_Datatype types[] = {MPJ_INT, MPJ_DATATYPE_NULL};
  must_fail(MPJ_Type_create_bucket_struct(2, 2, good, types, fine, displs, &made), MPJ_ERR_TYPE,
            "bucket_types[1]");
  must_fail(MPJ_Type_create_bucket_struct(2, 2, good, NULL, fine, displs, &made), MPJ_ERR_ARG,
            "bucket_types is NULL");
  ck_assert_ptr_null(made);
  nothing_lives();
}
END_TEST

START_TEST(failed_allocations_leak_nothing)
{
  struct mpj_random rng = {33};
  struct call *c = malloc(sizeof *c);
  ck_assert_ptr_nonnull(c);
  const MPJ_Datatype buckets[BUCKETS] = {MPJ_INT,  MPJ_DOUBLE, MPJ_FLOAT,
                                         MPJ_LONG, MPJ_CHAR,   MPJ_INT};
  for (int round = 0; round < 20; round++) {
    draw(&rng, c);
    for (int kind = 0; kind < 2; kind++) {
      int status = MPJ_ERR_NO_MEM;
      for (long successes = 0; status == MPJ_ERR_NO_MEM; successes++) {
        MPJ_Datatype type;
        mpj_memory_fail_after(successes);
        status = kind ? MPJ_Type_create_bucket_struct(c->n, c->nbuckets, c->bucket_lens, buckets,
                                                      c->numbers, c->displs, &type)
                      : MPJ_Type_create_bucket_index(c->n, c->nbuckets, c->bucket_lens, c->numbers,
                                                     c->displs, MPJ_INT, &type);
        mpj_memory_fail_after(-1);
        if (status == MPJ_SUCCESS) must(MPJ_Type_free(&type));
        ck_assert_int_eq(mpj_memory_outstanding(), 0);
      }
      ck_assert_int_eq(status, MPJ_SUCCESS);
    }
  }
  free(c);
  nothing_lives();
}
END_TEST

int main(void)
{
  return RUN_SUITE("bucket index", a_bucket_index_is_an_index, a_bucket_struct_is_a_struct,
                   many_blocks_in_random_order_are_small, a_grid_of_four_shapes_is_small,
                   wrong_buckets_are_named, failed_allocations_leak_nothing);
}
