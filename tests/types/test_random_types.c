/* This file compares thousands of random types with their references: bounds,
 * signature, order of elements, and parts, down through parts of parts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/share.h"
#include "types/basic.h"
#include "types/random_type.h"
#include "types/type.h"
#include "types/walk.h"

/* --types N and --seed S choose how many types a test makes, and which. */
static int64_t types_wanted = 1000;
static uint64_t first_seed = 1;

static void compare_bounds(MPJ_Datatype type, const struct mpj_ref *ref, const char *text)
{
  MPJ_Count bytes;
  MPJ_Aint lb, extent;
  ck_assert_int_eq(MPJ_Type_size(type, &bytes), MPJ_SUCCESS);
  ck_assert_msg(bytes == mpj_ref_bytes(ref), "%s: size is %" PRId64, text, bytes);
  ck_assert_int_eq(MPJ_Type_get_extent(type, &lb, &extent), MPJ_SUCCESS);
  ck_assert_msg(lb == mpj_ref_lb(ref) && extent == mpj_ref_extent(ref),
                "%s: lb %td extent %td, should be %td %td", text, lb, extent, mpj_ref_lb(ref),
                mpj_ref_extent(ref));
  ck_assert_int_eq(MPJ_Type_get_true_extent(type, &lb, &extent), MPJ_SUCCESS);
  ck_assert_msg(lb == mpj_ref_true_lb(ref) && lb + extent == mpj_ref_true_ub(ref),
                "%s: true lb %td true extent %td", text, lb, extent);
}

static void compare_signature(const struct mpj_type *type, const struct mpj_ref *ref,
                              const char *text)
{
  struct mpj_signature expected = mpj_signature_empty;
  for (MPJ_Count e = 0; e < ref->n; e++) {
    if (ref->map[e].basic >= 0)
      expected = mpj_signature_join(expected, mpj_signature_of_basic(ref->map[e].basic));
  }
  ck_assert_msg(mpj_signature_equal(&expected, &type->map.layout->signature), "%s: signature",
                text);
}

static void compare_alignment(const struct mpj_type *type, const struct mpj_ref *ref,
                              const char *text)
{
  int strictest = 1;
  for (MPJ_Count e = 0; e < ref->n; e++) {
    if (ref->map[e].basic >= 0 && mpj_basics[ref->map[e].basic].alignment > strictest)
      strictest = mpj_basics[ref->map[e].basic].alignment;
  }
  ck_assert_msg(type->alignment == strictest, "%s: alignment is %d, should be %d", text,
                type->alignment, strictest);
}

/* What is chosen by the kinds of data goes by this: exact, whoever made the layout. */
static void compare_basics(const struct mpj_layout *layout, const struct mpj_ref *ref,
                           const char *text)
{
  uint64_t basics = 0;
  int strictest = 1;
  for (MPJ_Count e = 0; e < ref->n; e++) {
    if (ref->map[e].basic < 0) continue;
    basics |= UINT64_C(1) << ref->map[e].basic;
    if (mpj_basics[ref->map[e].basic].alignment > strictest)
      strictest = mpj_basics[ref->map[e].basic].alignment;
  }
  ck_assert_msg(layout->basics == basics, "%s: basic types %" PRIx64 ", should be %" PRIx64, text,
                layout->basics, basics);
  ck_assert_msg(layout->alignment == strictest, "%s: the data's alignment is %d, should be %d",
                text, layout->alignment, strictest);
}

/* Parts as types go down the table of constructors; `depth` ends that. */
static void compare(MPJ_Datatype handle, struct mpj_ref *ref, const char *text, int depth);

static void compare_part(MPJ_Datatype handle, MPJ_Count i, struct mpj_ref *ref, const char *text,
                         int depth)
{
  struct mpj_type *type;
  struct mpj_ref_part expected = mpj_ref_part(ref, i);
  struct mpj_view view;
  MPJ_Aint displ;
  MPJ_Datatype part;
  ck_assert_int_eq(mpj_type_resolve(handle, "type", &type), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_type_part_view(type, i, &view), MPJ_SUCCESS);
  ck_assert_msg(mpj_walk_matches(&view, expected.origin, expected.type),
                "%s: view of part %" PRId64, text, i);
  if (view.count > 0) compare_basics(view.layout, expected.type, text);
  if (depth == 0) return;
  ck_assert_int_eq(MPJ_Type_part(handle, i, &displ, &part), MPJ_SUCCESS);
  ck_assert_msg(displ == expected.origin, "%s: part %" PRId64 " is at %td, should be at %td", text,
                i, displ, expected.origin);
  compare(part, expected.type, text, depth - 1);
  ck_assert_int_eq(MPJ_Type_free(&part), MPJ_SUCCESS);
}

static void compare(MPJ_Datatype handle, struct mpj_ref *ref, const char *text, int depth)
{
  struct mpj_type *type;
  ck_assert_int_eq(mpj_type_resolve(handle, "type", &type), MPJ_SUCCESS);
  struct mpj_view view = mpj_type_view(type);
  compare_bounds(handle, ref, text);
  compare_signature(type, ref, text);
  compare_alignment(type, ref, text);
  compare_basics(type->map.layout, ref, text);
  ck_assert_msg(mpj_type_check(type), "%s: invariants", text);
  ck_assert_msg(mpj_walk_matches(&view, 0, ref), "%s: elements", text);
  ck_assert_msg(type->parts->count == ref->nparts, "%s: %" PRId64 " parts, should be %" PRId64,
                text, type->parts->count, ref->nparts);
  for (MPJ_Count i = 0; i < ref->nparts; i++)
    compare_part(handle, i, ref, text, depth);
}

static void compare_pair(const struct mpj_random_type *a, const struct mpj_random_type *b)
{
  int same_signature, same_map;
  ck_assert_int_eq(MPJ_Type_match(a->type, b->type, &same_signature, &same_map), MPJ_SUCCESS);
  ck_assert_msg((same_signature != 0) == mpj_ref_same_signature(a->ref, b->ref),
                "signatures of %s and %s", a->text, b->text);
  if (same_map)
    ck_assert_msg(mpj_ref_same_map(a->ref, b->ref), "maps of %s and %s", a->text, b->text);
}

static void run(uint64_t seed, int64_t types, struct mpj_random_options options)
{
  struct mpj_random rng = {seed};
  struct mpj_random_type before, t;
  mpj_random_type_make(&rng, &options, &before);
  for (int64_t n = 0; n < types; n++) {
    mpj_random_type_make(&rng, &options, &t);
    compare(t.type, t.ref, t.text, 2);
    compare_pair(&before, &t);
    mpj_random_type_free(&before);
    before = t;
  }
  mpj_random_type_free(&before);
  ck_assert_uint_eq(mpj_type_live(), 0);
  ck_assert_uint_eq(mpj_layout_live(), 0);
}

START_TEST(random_types_equal_their_references)
{
  run(first_seed, types_wanted, (struct mpj_random_options){.depth = 1 + _i});
}
END_TEST

START_TEST(random_types_of_one_basic_type_equal_their_references)
{
  run(first_seed + 1, types_wanted,
      (struct mpj_random_options){.depth = 3, .max_elements = 12, .basics = UINT64_C(1) << 6});
}
END_TEST

START_TEST(receivable_types_do_not_overlap)
{
  struct mpj_random rng = {first_seed + 2};
  struct mpj_random_options options = {.depth = 4, .receivable = true};
  MPJ_Count elements = 0;
  int64_t types = types_wanted / 4;
  for (int64_t n = 0; n < types; n++) {
    struct mpj_random_type t;
    mpj_random_type_make(&rng, &options, &t);
    ck_assert_msg(!mpj_ref_overlaps(t.ref), "%s overlaps", t.text);
    elements += mpj_ref_elements(t.ref);
    mpj_random_type_free(&t);
  }
  ck_assert_int_gt(elements, types * 2);
}
END_TEST

START_TEST(a_number_of_parts_can_be_asked_for)
{
  struct mpj_random rng = {first_seed + 3};
  for (int64_t n = 0; n < types_wanted / 8; n++) {
    struct mpj_random_options options = {
        .depth = 3, .max_elements = 400, .receivable = true, .nparts = 1 + n % 17};
    struct mpj_random_type t, like;
    mpj_random_type_make(&rng, &options, &t);
    ck_assert_msg(t.ref->nparts == options.nparts, "%s has %" PRId64 " parts", t.text,
                  t.ref->nparts);
    compare(t.type, t.ref, t.text, 0);
    mpj_random_type_like(&rng, t.ref, &like);
    compare(like.type, like.ref, t.text, 0);
    ck_assert(mpj_ref_same_signature(like.ref, t.ref) && !mpj_ref_overlaps(like.ref));
    mpj_random_type_free(&like);
    mpj_random_type_free(&t);
  }
}
END_TEST

START_TEST(constructors_survive_every_failed_allocation)
{
  run(first_seed + 4, types_wanted / 8,
      (struct mpj_random_options){.depth = 3, .fail_allocations = true});
}
END_TEST

START_TEST(parts_survive_every_failed_allocation)
{
  struct mpj_random rng = {first_seed + 5};
  struct mpj_random_options options = {.depth = 3};
  for (int64_t n = 0; n < types_wanted / 8; n++) {
    struct mpj_random_type t;
    long outstanding = mpj_memory_outstanding();
    mpj_random_type_make(&rng, &options, &t);
    int status = t.ref->nparts > 0 ? MPJ_ERR_NO_MEM : MPJ_SUCCESS;
    for (long successes = 0; status == MPJ_ERR_NO_MEM; successes++) {
      MPJ_Aint displ;
      MPJ_Datatype part = MPJ_DATATYPE_NULL;
      mpj_memory_fail_after(successes);
      status = MPJ_Type_part(t.type, t.ref->nparts - 1, &displ, &part);
      mpj_memory_fail_after(-1);
      if (status == MPJ_SUCCESS) ck_assert_int_eq(MPJ_Type_free(&part), MPJ_SUCCESS);
    }
    ck_assert_msg(status == MPJ_SUCCESS, "%s: %s", t.text, MPJ_Error_detail());
    mpj_random_type_free(&t); /* and with it what its part table made on first use */
    ck_assert_int_eq(mpj_memory_outstanding(), outstanding);
  }
  ck_assert_uint_eq(mpj_layout_live(), 0);
}
END_TEST

static void read_arguments(int argc, char **argv)
{
  types_wanted = share_of(types_wanted);
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--types") == 0) types_wanted = strtoll(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--seed") == 0) first_seed = strtoull(argv[i + 1], NULL, 10);
  }
}

int main(int argc, char **argv)
{
  read_arguments(argc, argv);
  Suite *suite = suite_create("random types");
  TCase *tc = tcase_create("random types");
  tcase_set_timeout(tc, 1700);
  tcase_add_loop_test(tc, random_types_equal_their_references, 0, 8);
  tcase_add_test(tc, random_types_of_one_basic_type_equal_their_references);
  tcase_add_test(tc, receivable_types_do_not_overlap);
  tcase_add_test(tc, a_number_of_parts_can_be_asked_for);
  tcase_add_test(tc, constructors_survive_every_failed_allocation);
  tcase_add_test(tc, parts_survive_every_failed_allocation);
  suite_add_tcase(suite, tc);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
