/* This file tests operations that are lifted from C functions of two scalars. */
#include <mpj/mpj.h>

#include <complex.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "coll/op/op.h"

#define CHECK(fact)                                                                                \
  do {                                                                                             \
    if (!(fact)) {                                                                                 \
      fprintf(stderr, "line %d: not so: %s (%s)\n", __LINE__, #fact, MPJ_Error_detail());          \
      return 1;                                                                                    \
    }                                                                                              \
  } while (0)

enum { RANKS = 3, ELEMENTS = 9 };

static int rank_of(void)
{
  int rank = -1;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  return rank;
}

/* One function for each way in which C passes a scalar; 10 a + b does not commute. */
#define FUNCTION(name, T)                                                                          \
  static T digits_##name(T a, T b)                                                                 \
  {                                                                                                \
    return (T)(10 * a + b);                                                                        \
  }                                                                                                \
  static int lift_##name(MPJ_Datatype elemtype)                                                    \
  {                                                                                                \
    T mine[ELEMENTS], all[ELEMENTS];                                                               \
    MPJ_Datatype type;                                                                             \
    MPJ_Op op;                                                                                     \
    for (int i = 0; i < ELEMENTS; i++)                                                             \
      mine[i] = (T)(1 + rank_of());                                                                \
    CHECK(MPJ_Op_lift((void (*)(void))digits_##name, elemtype, 0, &op) == MPJ_SUCCESS);            \
    CHECK(MPJ_Type_contiguous(ELEMENTS, elemtype, &type) == MPJ_SUCCESS);                          \
    CHECK(MPJ_Type_commit(&type) == MPJ_SUCCESS);                                                  \
    CHECK(MPJ_Allreduce(mine, type, all, type, op, MPJ_COMM_WORLD) == MPJ_SUCCESS);                \
    const T wanted = digits_##name((T)1, digits_##name((T)2, (T)3));                               \
    for (int i = 0; i < ELEMENTS; i++)                                                             \
      CHECK(all[i] == wanted);                                                                     \
    CHECK(MPJ_Op_free(&op) == MPJ_SUCCESS);                                                        \
    return MPJ_Type_free(&type);                                                                   \
  }
FUNCTION(i8, int8_t)
FUNCTION(u8, uint8_t)
FUNCTION(i16, int16_t)
FUNCTION(u16, uint16_t)
FUNCTION(i32, int32_t)
FUNCTION(u32, uint32_t)
FUNCTION(i64, int64_t)
FUNCTION(u64, uint64_t)
FUNCTION(float, float)
FUNCTION(double, double)
FUNCTION(long_double, long double)
FUNCTION(c_float, float complex)
FUNCTION(c_double, double complex)

static int every_kind(void *arg)
{
  (void)arg;
  CHECK(!lift_i8(MPJ_INT8) && !lift_u8(MPJ_UINT8) && !lift_i16(MPJ_INT16));
  CHECK(!lift_u16(MPJ_UINT16) && !lift_i32(MPJ_INT32) && !lift_u32(MPJ_UINT32));
  CHECK(!lift_i64(MPJ_INT64) && !lift_u64(MPJ_UINT64) && !lift_float(MPJ_FLOAT));
  CHECK(!lift_double(MPJ_DOUBLE) && !lift_long_double(MPJ_LONG_DOUBLE));
  CHECK(!lift_c_float(MPJ_C_FLOAT_COMPLEX) && !lift_c_double(MPJ_C_DOUBLE_COMPLEX));
  return 0;
}

START_TEST(functions_of_every_kind_of_scalar_keep_rank_order)
{
  ck_assert_int_eq(MPJ_Run_threads(RANKS, every_kind, NULL), 0);
}
END_TEST

static bool implies(bool a, bool b)
{
  return !a || b;
}

static int booleans(void *arg)
{
  const bool mine = rank_of() < 2;
  bool all = true;
  MPJ_Op op;
  (void)arg;
  CHECK(MPJ_Op_lift((void (*)(void))implies, MPJ_C_BOOL, 0, &op) == MPJ_SUCCESS);
  CHECK(MPJ_Allreduce(&mine, MPJ_C_BOOL, &all, MPJ_C_BOOL, op, MPJ_COMM_WORLD) == MPJ_SUCCESS);
  CHECK(!all); /* true -> (true -> false) */
  return MPJ_Op_free(&op);
}

START_TEST(booleans_are_lifted)
{
  ck_assert_int_eq(MPJ_Run_threads(RANKS, booleans, NULL), 0);
}
END_TEST

/* A request keeps what it needs of an operation whose handle is gone. */
static int freed_early(void *arg)
{
  const double mine = 1 + rank_of();
  double all = 0;
  MPJ_Op op;
  MPJ_Request r;
  (void)arg;
  CHECK(MPJ_Op_lift((void (*)(void))digits_double, MPJ_DOUBLE, 0, &op) == MPJ_SUCCESS);
  CHECK(MPJ_Allreduce_init(&mine, MPJ_DOUBLE, &all, MPJ_DOUBLE, op, MPJ_COMM_WORLD, &r) ==
        MPJ_SUCCESS);
  CHECK(MPJ_Op_free(&op) == MPJ_SUCCESS);
  CHECK(MPJ_Start(&r) == MPJ_SUCCESS && MPJ_Wait(&r) == MPJ_SUCCESS);
  CHECK(all == 10 + 10 * 2 + 3);
  return MPJ_Request_free(&r);
}

START_TEST(a_request_outlives_the_handle)
{
  const long before = mpj_memory_outstanding();
  ck_assert_int_eq(MPJ_Run_threads(RANKS, freed_early, NULL), 0);
  ck_assert_int_eq(mpj_memory_outstanding(), before);
  ck_assert_uint_eq(mpj_op_live(), 0);
}
END_TEST

START_TEST(what_no_function_takes_is_refused)
{
  void (*fn)(void) = (void (*)(void))digits_double;
  MPJ_Op op;
  MPJ_Datatype two;
  ck_assert_int_eq(MPJ_Type_contiguous(2, MPJ_DOUBLE, &two), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_commit(&two), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Op_lift(NULL, MPJ_DOUBLE, 1, &op), MPJ_ERR_ARG);
  ck_assert_int_eq(MPJ_Op_lift(fn, MPJ_DOUBLE, 1, NULL), MPJ_ERR_ARG);
  ck_assert_int_eq(MPJ_Op_lift(fn, MPJ_DATATYPE_NULL, 1, &op), MPJ_ERR_TYPE);
  ck_assert_int_eq(MPJ_Op_lift(fn, two, 1, &op), MPJ_ERR_TYPE);
  ck_assert(strstr(MPJ_Error_detail(), "2 elements") != NULL);
  ck_assert_int_eq(MPJ_Op_lift(fn, MPJ_DOUBLE_INT, 1, &op), MPJ_ERR_TYPE);
  ck_assert(strstr(MPJ_Error_detail(), "MPJ_DOUBLE_INT") != NULL);
  ck_assert_int_eq(MPJ_Op_lift(fn, MPJ_BYTE, 1, &op), MPJ_ERR_TYPE);
  ck_assert_int_eq(MPJ_Op_lift(fn, MPJ_FLOAT16, 1, &op), MPJ_ERR_TYPE);
  mpj_memory_fail_after(0);
  ck_assert_int_eq(MPJ_Op_lift(fn, MPJ_DOUBLE, 1, &op), MPJ_ERR_NO_MEM);
  mpj_memory_fail_after(-1);
  ck_assert_int_eq(MPJ_Type_free(&two), MPJ_SUCCESS);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/op_lift", functions_of_every_kind_of_scalar_keep_rank_order,
                   booleans_are_lifted, a_request_outlives_the_handle,
                   what_no_function_takes_is_refused);
}
