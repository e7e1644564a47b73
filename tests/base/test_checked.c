/* This file tests checked arithmetic at the edges of 64 bits. */
#include "base/checked.h"

#include "base/suite.h"

START_TEST(count_sums_and_products_are_exact_or_refused)
{
  MPJ_Count out = 7;
  ck_assert(mpj_add_count(INT64_MAX - 1, 1, &out));
  ck_assert_int_eq(out, INT64_MAX);
  ck_assert(mpj_mul_count(INT64_C(1) << 31, -(INT64_C(1) << 32), &out));
  ck_assert_int_eq(out, INT64_MIN);
  out = 7;
  ck_assert(!mpj_add_count(INT64_MAX, 1, &out));
  ck_assert(!mpj_add_count(INT64_MIN, -1, &out));
  ck_assert(!mpj_mul_count(INT64_C(1) << 32, INT64_C(1) << 31, &out));
  ck_assert_int_eq(out, 7);
}
END_TEST

START_TEST(displacements_are_exact_or_refused)
{
  MPJ_Aint out = 7;
  ck_assert(mpj_add_aint(PTRDIFF_MIN, PTRDIFF_MAX, &out));
  ck_assert_int_eq(out, -1);
  ck_assert(mpj_sub_aint(-1, PTRDIFF_MAX, &out));
  ck_assert_int_eq(out, PTRDIFF_MIN);
  ck_assert(mpj_mul_aint(-3, 5, &out));
  ck_assert_int_eq(out, -15);
  ck_assert(mpj_muladd_aint(100, -3, 5, &out));
  ck_assert_int_eq(out, 85);
  out = 7;
  ck_assert(!mpj_add_aint(PTRDIFF_MAX, 1, &out));
  ck_assert(!mpj_sub_aint(PTRDIFF_MIN, 1, &out));
  ck_assert(!mpj_mul_aint(INT64_MAX, 2, &out));
  ck_assert(!mpj_muladd_aint(0, INT64_MAX, 2, &out));
  ck_assert(!mpj_muladd_aint(PTRDIFF_MAX, 1, 1, &out));
  ck_assert_int_eq(out, 7);
}
END_TEST

START_TEST(sizes_are_exact_or_refused)
{
  size_t out = 7;
  ck_assert(mpj_mul_size(SIZE_MAX, 1, &out));
  ck_assert_uint_eq(out, SIZE_MAX);
  out = 7;
  ck_assert(!mpj_mul_size(SIZE_MAX / 2 + 1, 2, &out));
  ck_assert_uint_eq(out, 7);
}
END_TEST

int main(void)
{
  return RUN_SUITE("base/checked", count_sums_and_products_are_exact_or_refused,
                   displacements_are_exact_or_refused, sizes_are_exact_or_refused);
}
