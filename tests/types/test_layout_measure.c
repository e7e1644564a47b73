/* This file makes one type map in many ways - as short and long sequences, nested ones,
 * indices, bucket structs, slices of all of these put together again - and expects of each
 * the fields that follow from the map's elements. */
#include "types/layout/layout_measure.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/suite.h"
#include "types/basic.h"
#include "types/made.h"
#include "types/random_type.h"
#include "types/wanted.h"

enum { MOST = 400, SHAPES = 5, SLICES = 4 };

/* Pieces olds[numbers[i]] at displs[i]. */
struct list {
  MPJ_Count n;
  int nshapes, numbers[MOST];
  MPJ_Count ones[MOST];
  MPJ_Aint displs[MOST];
  struct mpj_random_type olds[SHAPES];
  MPJ_Datatype types[MOST];
  struct mpj_ref *refs[MOST];
};

/* What every way to make a map must find out. */
struct facts {
  struct mpj_signature signature;
  uint64_t basics;
  int alignment;
};

static struct facts facts_of(const struct mpj_ref *ref)
{
  struct facts facts = {mpj_signature_empty, 0, 1};
  for (MPJ_Count e = 0; e < ref->n; e++) {
    const int basic = ref->map[e].basic;
    if (basic < 0) continue;
    facts.signature = mpj_signature_join(facts.signature, mpj_signature_of_basic(basic));
    facts.basics |= UINT64_C(1) << basic;
    if (mpj_basics[basic].alignment > facts.alignment)
      facts.alignment = mpj_basics[basic].alignment;
  }
  return facts;
}

/* Frees the type. */
static void expect(MPJ_Datatype type, const struct mpj_ref *ref, const char *way, int round)
{
  const struct facts facts = facts_of(ref);
  const struct mpj_piece *map = &object_of(type)->map;
  const struct mpj_layout *l = map->layout;
  const bool any = facts.signature.bytes > 0;
  ck_assert_msg(mpj_type_check(object_of(type)), "round %d, %s: invariants", round, way);
  ck_assert_msg(l->basics == facts.basics, "round %d, %s: basics %#" PRIx64 ", should be %#" PRIx64,
                round, way, l->basics, facts.basics);
  ck_assert_msg(mpj_signature_equal(&l->signature, &facts.signature) &&
                    l->signature.elements == facts.signature.elements &&
                    l->signature.power == facts.signature.power,
                "round %d, %s: signature", round, way);
  ck_assert_msg(l->alignment == facts.alignment, "round %d, %s: alignment", round, way);
  ck_assert_msg(!any || (map->displ + l->true_lb == mpj_ref_true_lb(ref) &&
                         map->displ + l->true_ub == mpj_ref_true_ub(ref)),
                "round %d, %s: true bounds", round, way);
  must(MPJ_Type_free(&type));
}

static void draw_list(struct mpj_random *rng, struct list *list)
{
  const struct mpj_random_options options = {
      .depth = (int)mpj_random_in(rng, 0, 2), .max_elements = 12, .max_span = 1024};
  MPJ_Aint at = mpj_random_in(rng, -500, 500);
  list->nshapes = (int)mpj_random_in(rng, 1, SHAPES);
  for (int s = 0; s < list->nshapes; s++)
    mpj_random_type_make(rng, &options, &list->olds[s]);
  list->n = mpj_random_in(rng, 0, 2) ? mpj_random_in(rng, 65, MOST) : mpj_random_in(rng, 1, 70);
  for (MPJ_Count i = 0; i < list->n; i++) {
    const int s = (int)mpj_random_in(rng, 0, list->nshapes - 1);
    list->numbers[i] = s;
    list->ones[i] = 1;
    list->types[i] = list->olds[s].type;
    list->refs[i] = list->olds[s].ref;
    list->displs[i] = at;
    at += mpj_random_in(rng, 0, 9) ? mpj_random_in(rng, 0, 300) : extent_of(list->types[i]);
  }
}

static MPJ_Datatype whole(const struct list *list, MPJ_Count first, MPJ_Count n)
{
  MPJ_Datatype made;
  must(MPJ_Type_create_struct(n, list->ones, list->displs + first, list->types + first, &made));
  return made;
}

/* Pieces [first, first + n) as a struct of a few structs of them, and so on. */
static MPJ_Datatype nested(struct mpj_random *rng, const struct list *list, MPJ_Count first,
                           MPJ_Count n)
{
  MPJ_Datatype parts[SLICES], made;
  const MPJ_Aint displs[SLICES] = {0};
  int nparts = 0;
  if (n < 4 || mpj_random_in(rng, 0, 5) == 0) return whole(list, first, n);
  for (MPJ_Count left = n; left > 0; nparts++) {
    MPJ_Count m = nparts + 1 < SLICES ? mpj_random_in(rng, 1, left) : left;
    parts[nparts] = nested(rng, list, first + n - left, m);
    left -= m;
  }
  must(MPJ_Type_create_struct(nparts, list->ones, displs, parts, &made));
  free_types(nparts, parts);
  return made;
}

/* Each of a few slices of a type (freed) that has the map, and all of them together. */
static void compare_slices(struct mpj_random *rng, const struct list *list, MPJ_Datatype type,
                           struct mpj_ref *ref, const char *way, int round)
{
  MPJ_Datatype parts[SLICES], made;
  const MPJ_Aint displs[SLICES] = {0};
  const MPJ_Count elements = mpj_ref_elements(ref);
  int nparts = 0;
  for (MPJ_Count left = elements; left > 0; nparts++) {
    const MPJ_Count n = nparts + 1 < SLICES ? mpj_random_in(rng, 1, left) : left;
    struct mpj_ref *part = mpj_ref_slice(ref, elements - left, n);
    must(MPJ_Type_create_slice(type, elements - left, n, &parts[nparts]));
    must(MPJ_Type_dup(parts[nparts], &made));
    expect(made, part, way, round);
    mpj_ref_release(part);
    left -= n;
  }
  must(MPJ_Type_create_struct(nparts, list->ones, displs, parts, &made));
  expect(made, ref, way, round);
  free_types(nparts, parts);
  expect(type, ref, way, round);
}

static void compare_ways(struct mpj_random *rng, struct list *list, int round)
{
  MPJ_Datatype made, buckets[SHAPES];
  struct mpj_ref *ref = mpj_ref_struct(list->n, list->ones, list->displs, list->refs);
  for (int s = 0; s < list->nshapes; s++)
    buckets[s] = list->olds[s].type;
  expect(nested(rng, list, 0, list->n), ref, "nested structs", round);
  must(MPJ_Type_create_bucket_struct(list->n, list->nshapes, list->ones, buckets, list->numbers,
                                     list->displs, &made));
  compare_slices(rng, list, made, ref, "slices of a bucket struct", round);
  compare_slices(rng, list, nested(rng, list, 0, list->n), ref, "slices of nested structs", round);
  if (list->nshapes == 1) {
    must(MPJ_Type_create_hindexed(list->n, list->ones, list->displs, buckets[0], &made));
    compare_slices(rng, list, made, ref, "slices of an index", round);
  }
  compare_slices(rng, list, whole(list, 0, list->n), ref, "slices of a struct", round);
  mpj_ref_release(ref);
}

START_TEST(fields_follow_from_the_map_however_it_is_made)
{
  struct mpj_random rng = {811};
  struct list *list = calloc(1, sizeof *list);
  ck_assert_ptr_nonnull(list);
  for (int round = 0; round < types_wanted; round++) {
    draw_list(&rng, list);
    compare_ways(&rng, list, round);
    for (int s = 0; s < list->nshapes; s++)
      mpj_random_type_free(&list->olds[s]);
  }
  free(list);
  nothing_lives();
}
END_TEST

int main(int argc, char **argv)
{
  read_wanted(argc, argv, 200);
  return RUN_SUITE("layout measure", fields_follow_from_the_map_however_it_is_made);
}
