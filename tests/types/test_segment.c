/* This file tests segmented types. */
#include "base/memory.h"
#include "base/suite.h"
#include "types/made.h"
#include "types/random_type.h"

enum { MOST = 600 };

START_TEST(segments_are_consecutive_parts)
{
  struct mpj_random rng = {41};
  for (int round = 0; round < 100; round++) {
    MPJ_Count n = mpj_random_in(&rng, 0, MOST), lens[MOST], displs[MOST], sum = 0;
    MPJ_Count constant = mpj_random_in(&rng, 1, 200);
    for (MPJ_Count i = 0; i < n; i++) {
      lens[i] = i % constant ? lens[i - 1] : mpj_random_in(&rng, 0, 9);
      displs[i] = sum;
      sum += lens[i];
    }
    MPJ_Datatype old = round % 2 ? vector(2, 1, 3, MPJ_INT) : contiguous(2, MPJ_INT), segments, all,
                 same;
    must(MPJ_Type_create_segment(n, lens, old, &segments));
    must(MPJ_Type_indexed(n, lens, displs, old, &same));
    all = contiguous(sum, old);
    ck_assert(mpj_type_check(object_of(segments)));
    ck_assert(same_map(segments, all) && same_map(segments, same));
    ck_assert(lb_of(segments) == lb_of(all) && extent_of(segments) == extent_of(all));
    ck_assert_int_eq(parts_of(segments), n);
    for (MPJ_Count i = 0; i < n; i++) {
      MPJ_Aint displ;
      MPJ_Datatype part, block = contiguous(lens[i], old);
      must(MPJ_Type_part(segments, i, &displ, &part));
      ck_assert(displ == displs[i] * extent_of(old) && same_map(part, block));
      must(MPJ_Type_free(&part));
      must(MPJ_Type_free(&block));
    }
    MPJ_Datatype types[] = {segments, all, same, old};
    free_types(4, types);
  }
  nothing_lives();
  ck_assert_int_eq(mpj_memory_outstanding(), 0);
}
END_TEST

START_TEST(wrong_lengths_are_named)
{
  const MPJ_Count lens[] = {3, -1}, huge[] = {INT64_MAX, 1}, wide[] = {INT64_MAX / 2};
  MPJ_Datatype made = MPJ_DATATYPE_NULL;
  must_fail(MPJ_Type_create_segment(2, lens, MPJ_INT, &made), MPJ_ERR_ARG, "lengths[1] is -1");
  must_fail(MPJ_Type_create_segment(-1, lens, MPJ_INT, &made), MPJ_ERR_ARG, "is -1");
  must_fail(MPJ_Type_create_segment(2, NULL, MPJ_INT, &made), MPJ_ERR_ARG, "lengths is NULL");
  must_fail(MPJ_Type_create_segment(2, huge, MPJ_BYTE, &made), MPJ_ERR_OVERFLOW, "lengths[1]");
  must_fail(MPJ_Type_create_segment(1, wide, MPJ_INT, &made), MPJ_ERR_OVERFLOW, "overflows");
  ck_assert_ptr_null(made);
  nothing_lives();
}
END_TEST

START_TEST(failed_allocations_leak_nothing)
{
  const MPJ_Count lens[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};
  int status = MPJ_ERR_NO_MEM;
  for (long successes = 0; status == MPJ_ERR_NO_MEM; successes++) {
    MPJ_Datatype type;
    mpj_memory_fail_after(successes);
    status = MPJ_Type_create_segment(11, lens, MPJ_INT, &type);
    mpj_memory_fail_after(-1);
    if (status == MPJ_SUCCESS) must(MPJ_Type_free(&type));
    ck_assert_int_eq(mpj_memory_outstanding(), 0);
  }
  ck_assert_int_eq(status, MPJ_SUCCESS);
}
END_TEST

int main(void)
{
  return RUN_SUITE("segment", segments_are_consecutive_parts, wrong_lengths_are_named,
                   failed_allocations_leak_nothing);
}
