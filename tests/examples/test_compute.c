/* This file tests the example's computation against other ways to the result. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "compute.h"

enum { N = 2001 };

START_TEST(floating_elements_become_their_cube_roots)
{
  double x[N];
  float y[N];
  for (int i = 0; i < N; i++) {
    x[i] = (i - 1000) * 0.037 + 0.001;
    y[i] = (float)x[i];
  }
  compute(NPY_F8, x, N);
  compute(NPY_F4, y, N);
  for (int i = 0; i < N; i++) {
    ck_assert_double_eq_tol(x[i], cbrt((i - 1000) * 0.037 + 0.001), 1e-14);
    ck_assert_double_eq_tol((double)y[i], x[i], 1e-6);
  }
}
END_TEST

START_TEST(complex_elements_become_the_roots_of_their_parts)
{
  double x[8] = {27, -8, 1000, .001, 0.125, HUGE_VAL, -64, 343}, y[8];
  float f[8], g[8];
  for (int i = 0; i < 8; i++)
    f[i] = g[i] = (float)x[i];
  memcpy(y, x, sizeof x);
  compute(NPY_C16, x, 4);
  compute(NPY_F8, y, 8);
  compute(NPY_C8, f, 4);
  compute(NPY_F4, g, 8);
  ck_assert_mem_eq(x, y, sizeof x);
  ck_assert_mem_eq(f, g, sizeof f);
  ck_assert_double_eq_tol(x[0], 3, 1e-14);
}
END_TEST

START_TEST(infinities_and_nan_stay_as_they_are)
{
  double x[4] = {HUGE_VAL, -HUGE_VAL, nan(""), 27}, before[4];
  memcpy(before, x, sizeof x);
  compute(NPY_F8, x, 4);
  ck_assert_mem_eq(x, before, 3 * sizeof *x);
  ck_assert_double_eq_tol(x[3], 3, 1e-15);
}
END_TEST

/* One element at a time against all at once: bits depend on the value alone. */
START_TEST(results_do_not_depend_on_neighbours)
{
  double all[N], one;
  for (int i = 0; i < N; i++)
    all[i] = sin(i) * 1000;
  compute(NPY_F8, all, N);
  for (int i = 0; i < N; i++) {
    one = sin(i) * 1000;
    compute(NPY_F8, &one, 1);
    ck_assert_mem_eq(&one, &all[i], sizeof one);
  }
}
END_TEST

START_TEST(integers_of_all_widths_agree_in_their_low_bits)
{
  for (int i = 0; i < 256; i++) {
    uint8_t a = (uint8_t)i;
    uint32_t b = (uint32_t)i;
    uint64_t c = (uint64_t)i, x = (uint64_t)i;
    compute(NPY_U1, &a, 1);
    compute(NPY_I4, &b, 1);
    compute(NPY_I8, &c, 1);
    for (int step = 0; step < 12; step++)
      x = 2 * x * x + x + 1;
    ck_assert_uint_eq(c, x);
    ck_assert_uint_eq(b, (uint32_t)x);
    ck_assert_uint_eq(a, (uint8_t)x);
  }
}
END_TEST

START_TEST(bytes_are_permuted)
{
  uint8_t x[256];
  int seen[256] = {0};
  for (int i = 0; i < 256; i++)
    x[i] = (uint8_t)i;
  compute(NPY_U1, x, 256);
  for (int i = 0; i < 256; i++)
    seen[x[i]]++;
  for (int i = 0; i < 256; i++)
    ck_assert_int_eq(seen[i], 1);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("compute");
  TCase *tc = tcase_create("compute");
  tcase_add_test(tc, floating_elements_become_their_cube_roots);
  tcase_add_test(tc, complex_elements_become_the_roots_of_their_parts);
  tcase_add_test(tc, infinities_and_nan_stay_as_they_are);
  tcase_add_test(tc, results_do_not_depend_on_neighbours);
  tcase_add_test(tc, integers_of_all_widths_agree_in_their_low_bits);
  tcase_add_test(tc, bytes_are_permuted);
  suite_add_tcase(suite, tc);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
