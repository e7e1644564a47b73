/* This file tests the kernels of the predefined operations against single
 * elements combined by definition. */
#include "pack/reduce/reduce.h"

#include <stdalign.h>
#include <string.h>

#include "base/suite.h"
#include "pack/scalar_ops.h"
#include "types/basic.h"

enum { LONGEST = 67, GUARD = 2, ROOM = (LONGEST + 2 * GUARD) * 32 };

static alignas(MPJ_BASIC_ALIGN_MAX) char in[ROOM], inout[ROOM], before[ROOM], expected[ROOM];

static const char *const names[MPJ_REDUCE_OPS] = {"SUM",     "PROD",   "MIN",   "MAX",  "LAND",
                                                  "BAND",    "LOR",    "BOR",   "LXOR", "BXOR",
                                                  "REPLACE", "MINLOC", "MAXLOC"};

/* n elements between guards, random; and what must come of them. */
static void prepare(struct mpj_random *rng, enum mpj_reduce_op op, int basic, int n)
{
  const int size = mpj_basics[basic].size;
  for (int i = 0; i < n + 2 * GUARD; i++) {
    scalar_value(rng, basic, true, in + i * size);
    scalar_value(rng, basic, true, inout + i * size);
  }
  memcpy(before, in, ROOM);
  memcpy(expected, inout, ROOM);
  for (int i = GUARD; i < GUARD + n; i++)
    scalar_combine(op, basic, in + i * size, expected + i * size);
}

static void check_kernel(struct mpj_random *rng, enum mpj_reduce_op op, int basic, int n)
{
  const int size = mpj_basics[basic].size;
  prepare(rng, op, basic, n);
  mpj_reduce_kernel_of(op, basic)(in + GUARD * size, inout + GUARD * size, n);
  for (int i = 0; i < n + 2 * GUARD; i++) {
    scalar_settle(basic, inout + i * size);
    scalar_settle(basic, expected + i * size);
    ck_assert_msg(memcmp(inout + i * size, expected + i * size, (size_t)size) == 0,
                  "%s of %s: element %d of %d", names[op], mpj_basics[basic].name, i - GUARD, n);
  }
  ck_assert(memcmp(in, before, ROOM) == 0);
}

START_TEST(kernels_combine_each_element_as_defined)
{
  struct mpj_random rng = {(uint64_t)_i};
  const enum mpj_reduce_op op = (enum mpj_reduce_op)_i;
  for (int basic = 0; basic < MPJ_BASIC_COUNT; basic++)
    for (int n = 0; scalar_applies(op, basic) && n <= LONGEST; n++)
      for (int turn = 0; turn < 2; turn++)
        check_kernel(&rng, op, basic, n);
}
END_TEST

START_TEST(there_is_a_kernel_exactly_where_the_operation_applies)
{
  for (int op = 0; op < MPJ_REDUCE_OPS; op++)
    for (int basic = 0; basic < MPJ_BASIC_COUNT; basic++)
      ck_assert_msg((mpj_reduce_kernel_of((enum mpj_reduce_op)op, basic) != NULL) ==
                        scalar_applies((enum mpj_reduce_op)op, basic),
                    "%s of %s", names[op], mpj_basics[basic].name);
}
END_TEST

START_TEST(in_is_the_left_operand)
{
  const int left[] = {7, 8}, right[] = {1, 2};
  int got[2];
  memcpy(got, right, sizeof got);
  mpj_reduce_kernel_of(MPJ_REDUCE_REPLACE, mpj_basic_of_handle(MPJ_INT))(left, got, 2);
  ck_assert_mem_eq(got, left, sizeof got);
}
END_TEST

START_TEST(integers_wrap_around)
{
  const int8_t a8[] = {127, -128, 16}, b8[] = {1, -1, 16};
  const int16_t a16[] = {INT16_MAX, INT16_MIN, 256}, b16[] = {1, -1, 256};
  int8_t sums8[3], products8[3];
  int16_t products16[3];
  memcpy(sums8, b8, sizeof b8);
  memcpy(products8, b8, sizeof b8);
  memcpy(products16, b16, sizeof b16);
  mpj_reduce_kernel_of(MPJ_REDUCE_SUM, mpj_basic_of_handle(MPJ_INT8))(a8, sums8, 3);
  mpj_reduce_kernel_of(MPJ_REDUCE_PROD, mpj_basic_of_handle(MPJ_INT8))(a8, products8, 3);
  mpj_reduce_kernel_of(MPJ_REDUCE_PROD, mpj_basic_of_handle(MPJ_INT16))(a16, products16, 3);
  const int8_t sums[] = {-128, 127, 32}, products[] = {127, -128, 0};
  const int16_t wide[] = {INT16_MAX, INT16_MIN, 0};
  ck_assert_mem_eq(sums8, sums, sizeof sums);
  ck_assert_mem_eq(products8, products, sizeof products);
  ck_assert_mem_eq(products16, wide, sizeof wide);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("reduce");
  TCase *tcase = tcase_create("reduce");
  tcase_add_loop_test(tcase, kernels_combine_each_element_as_defined, 0, MPJ_REDUCE_OPS);
  tcase_add_test(tcase, there_is_a_kernel_exactly_where_the_operation_applies);
  tcase_add_test(tcase, in_is_the_left_operand);
  tcase_add_test(tcase, integers_wrap_around);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
