/* This file tests calls of C functions on other ranks: what goes in and comes out by each type,
 * and calls that are refused. */
#include <mpj/am.h>
#include <mpj/mpj.h>

#include <complex.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "coll/need.h"

static int rank_here(void)
{
  int rank = -1;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  return rank;
}

/* Twice: the first run makes what basic types keep for good. */
static void run(int ranks, int (*fn)(void *arg))
{
  ck_assert_int_eq(MPJ_Run_threads(ranks, fn, NULL), 0);
  const long before = mpj_memory_outstanding();
  ck_assert_int_eq(MPJ_Run_threads(ranks, fn, NULL), 0);
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}

static int32_t weigh(int8_t a, double b, const int *list, uint16_t c)
{
  return (int32_t)(a * 1000 + b * 10 + list[0] + list[3] + c);
}

static double nothing_given(void)
{
  return 2.5;
}

static _Thread_local int noted;
static void note(int64_t a)
{
  noted = (int)a;
}

static int calls(void *arg)
{
  (void)arg;
  MPJ_Datatype list; /* two ints, of which the second is the fourth of the array */
  NEED(!MPJ_Type_vector(2, 1, 3, MPJ_INT, &list) && !MPJ_Type_commit(&list));
  const MPJ_Datatype types[] = {MPJ_INT8, MPJ_DOUBLE, list, MPJ_UINT16};
  const MPJ_Datatype others[] = {MPJ_INT8, MPJ_FLOAT, list, MPJ_UINT16};
  const MPJ_Datatype one[] = {MPJ_INT64};
  const int rank = rank_here();
  NEED(!MPJ_Am_register_function(4, (void (*)(void))weigh, 4, types, MPJ_INT32));
  NEED(!MPJ_Am_register_function(5, (void (*)(void))nothing_given, 0, NULL, MPJ_DOUBLE));
  NEED(!MPJ_Am_register_function(6, (void (*)(void))note, 1, one, MPJ_DATATYPE_NULL));
  NEED(!MPJ_Am_register_function(7, (void (*)(void))weigh, 4, rank == 0 ? types : others,
                                 MPJ_INT32));
  NEED(!MPJ_Am_register_function(8, rank == 0 ? (void (*)(void))note : NULL, 1, one,
                                 MPJ_DATATYPE_NULL));
  if (rank == 0)
    NEED(!MPJ_Am_register_function(10, (void (*)(void))nothing_given, 0, NULL, MPJ_DOUBLE));
  else
    NEED(!MPJ_Am_register(10, NULL, NULL, NULL));
  MPJ_Type_free(&list);
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  const int8_t a = -3;
  const double b = 4.5;
  const int numbers[4] = {100, 7, 7, 200};
  const uint16_t c = 60000;
  const int64_t d = 77 + rank;
  const void *args[] = {&a, &b, numbers, &c};
  const void *just[] = {&d};
  int32_t result = 0;
  double real = 0;
  for (int dest = 0; dest < 2; dest++) {
    NEED(!MPJ_Am_call(dest, 4, args, &result) && result == -3000 + 45 + 300 + 60000);
    NEED(!MPJ_Am_call(dest, 5, NULL, &real) && real == 2.5);
  }
  NEED(!MPJ_Am_call(1 - rank, 6, just, NULL));
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  NEED(noted == 77 + 1 - rank);
  if (rank == 0) {
    NEED(MPJ_Am_call(1, 7, args, &result) == MPJ_ERR_SIGNATURE);
    NEED(MPJ_Am_call(1, 8, just, NULL) == MPJ_ERR_ARG);
    NEED(MPJ_Am_call(1, 10, NULL, &real) == MPJ_ERR_ARG);
  }
  NEED(!MPJ_Am_flush());
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  return 0;
}

START_TEST(functions_are_called_with_their_arguments_as_they_want_them)
{
  run(2, calls);
}
END_TEST

static int odd_functions(void *arg)
{
  (void)arg;
  MPJ_Datatype before, args[MPJ_AM_ARGS_MAX + 1];
  for (int i = 0; i <= MPJ_AM_ARGS_MAX; i++)
    args[i] = MPJ_INT;
  const MPJ_Aint back = -8;
  const MPJ_Count one = 1;
  NEED(!MPJ_Type_create_hindexed(1, &one, &back, MPJ_INT, &before) && !MPJ_Type_commit(&before));
  NEED(MPJ_Am_register_function(1, NULL, MPJ_AM_ARGS_MAX + 1, args, MPJ_INT) == MPJ_ERR_ARG);
  NEED(MPJ_Am_register_function(1, NULL, -1, args, MPJ_INT) == MPJ_ERR_ARG);
  NEED(MPJ_Am_register_function(1, NULL, 2, NULL, MPJ_INT) == MPJ_ERR_ARG);
  NEED(MPJ_Am_register_function(1, NULL, 1, args, before) == MPJ_ERR_TYPE);
  args[0] = MPJ_2INT;
  NEED(MPJ_Am_register_function(1, NULL, 1, args, MPJ_INT) == MPJ_ERR_UNSUPPORTED);
  args[0] = before;
  NEED(MPJ_Am_register_function(1, NULL, 1, args, MPJ_INT) == MPJ_ERR_ARG);
  NEED(!MPJ_Am_register_function(1, NULL, MPJ_AM_ARGS_MAX, args + 1, MPJ_INT));
  NEED(!MPJ_Am_register_function(1, NULL, 0, NULL, MPJ_INT)); /* anew */
  MPJ_Type_free(&before);
  return 0;
}

START_TEST(functions_that_cannot_be_called_are_not_registered)
{
  run(1, odd_functions);
}
END_TEST

static float complex turn(float complex a)
{
  return a * I;
}

static double complex twice(double complex a)
{
  return a + a;
}

static long double complex conjugate(long double complex a, long double b)
{
  return conjl(a) + b;
}

static bool negate(bool a, unsigned char b, signed char c, unsigned short d, unsigned long e)
{
  return !a && b == 255 && c == -1 && d == 65535 && e == ~0ul;
}

/* Functions of every kind of basic type. */
static int basic_calls(void *arg)
{
  (void)arg;
  const MPJ_Datatype small[] = {MPJ_C_FLOAT_COMPLEX}, middle[] = {MPJ_C_DOUBLE_COMPLEX},
                     large[] = {MPJ_C_LONG_DOUBLE_COMPLEX, MPJ_LONG_DOUBLE},
                     whole[] = {MPJ_C_BOOL, MPJ_UNSIGNED_CHAR, MPJ_SIGNED_CHAR, MPJ_UNSIGNED_SHORT,
                                MPJ_UNSIGNED_LONG};
  NEED(!MPJ_Am_register_function(0, (void (*)(void))turn, 1, small, small[0]));
  NEED(!MPJ_Am_register_function(1, (void (*)(void))twice, 1, middle, middle[0]));
  NEED(!MPJ_Am_register_function(2, (void (*)(void))conjugate, 2, large, large[0]));
  NEED(!MPJ_Am_register_function(3, (void (*)(void))negate, 5, whole, MPJ_C_BOOL));
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  const float complex f = 1 + 2 * I;
  const double complex d = 3 - 4 * I;
  const long double complex l = 5 + 6 * I;
  const long double one = 1;
  const bool no = false;
  const unsigned char b = 255;
  const signed char c = -1;
  const unsigned short s = 65535;
  const unsigned long u = ~0ul;
  float complex fr = 0;
  double complex dr = 0;
  long double complex lr = 0;
  bool yes = false;
  for (int dest = 0; dest < 2; dest++) {
    NEED(!MPJ_Am_call(dest, 0, (const void *[]){&f}, &fr) && fr == -2 + I);
    NEED(!MPJ_Am_call(dest, 1, (const void *[]){&d}, &dr) && dr == 6 - 8 * I);
    NEED(!MPJ_Am_call(dest, 2, (const void *[]){&l, &one}, &lr) && lr == 6 - 6 * I);
    NEED(!MPJ_Am_call(dest, 3, (const void *[]){&no, &b, &c, &s, &u}, &yes) && yes);
  }
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  return 0;
}

START_TEST(basic_types_of_every_kind_are_passed_and_come_back)
{
  run(2, basic_calls);
}
END_TEST

static int32_t count(const int *list, const int *none)
{
  return none ? list[0] + list[1] : -1;
}

static int32_t add(int32_t a, int32_t b)
{
  return a + b;
}

static void hear(const int *list)
{
  (void)list;
}

/* Same bytes, and other types of arguments or result; and arguments without data. */
static int other_types(void *arg)
{
  (void)arg;
  const int rank = rank_here(), numbers[2] = {40, 2};
  MPJ_Datatype two, none;
  NEED(!MPJ_Type_contiguous(2, MPJ_INT32, &two) && !MPJ_Type_commit(&two));
  NEED(!MPJ_Type_contiguous(0, MPJ_INT32, &none) && !MPJ_Type_commit(&none));
  const MPJ_Datatype apart[] = {MPJ_INT32, MPJ_INT32}, list[] = {two, none};
  NEED(!MPJ_Am_register_function(0, (void (*)(void))count, 2, list, MPJ_INT32));
  NEED(!MPJ_Am_register_function(1, (void (*)(void))hear, 1, list + 1, MPJ_DATATYPE_NULL));
  if (rank == 0) {
    NEED(!MPJ_Am_register_function(2, (void (*)(void))add, 2, apart, MPJ_INT32));
    NEED(!MPJ_Am_register_function(3, (void (*)(void))add, 2, apart, MPJ_INT32));
    NEED(!MPJ_Am_register_function(4, (void (*)(void))hear, 0, NULL, MPJ_DATATYPE_NULL));
  } else {
    NEED(!MPJ_Am_register_function(2, (void (*)(void))add, 2, apart, MPJ_FLOAT));
    NEED(!MPJ_Am_register_function(3, (void (*)(void))count, 2, list, MPJ_INT32));
    NEED(!MPJ_Am_register_function(4, (void (*)(void))hear, 1, list + 1, MPJ_DATATYPE_NULL));
  }
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  int32_t sum = 0;
  NEED(!MPJ_Am_call(1 - rank, 0, (const void *[]){numbers, numbers}, &sum) && sum == 42);
  NEED(!MPJ_Am_call(1 - rank, 1, (const void *[]){numbers}, NULL));
  if (rank == 0) {
    const void *both[] = {&numbers[0], &numbers[1]};
    for (int handler = 2; handler <= 4; handler++)
      NEED(MPJ_Am_call(1, handler, both, &sum) == MPJ_ERR_SIGNATURE);
  }
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  MPJ_Type_free(&two);
  MPJ_Type_free(&none);
  return 0;
}

START_TEST(functions_of_other_types_are_not_called)
{
  run(2, other_types);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/am_call", functions_are_called_with_their_arguments_as_they_want_them,
                   functions_that_cannot_be_called_are_not_registered,
                   basic_types_of_every_kind_are_passed_and_come_back,
                   functions_of_other_types_are_not_called);
}
