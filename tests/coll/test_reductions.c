/* This file states what reductions mean by small examples, on threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpj/mpj.h>

#include "base/suite.h"

#define WORLD MPJ_COMM_WORLD

/* What a rank finds wrong, it returns; 0 if nothing. */
#define CHECK(fact)                                                                                \
  do {                                                                                             \
    if (!(fact)) {                                                                                 \
      fprintf(stderr, "line %d: not so: %s (%s)\n", __LINE__, #fact, MPJ_Error_detail());          \
      return 1;                                                                                    \
    }                                                                                              \
  } while (0)

static int rank_of(void)
{
  int rank = -1;
  MPJ_Comm_rank(WORLD, &rank);
  return rank;
}

static int size_of(void)
{
  int size = -1;
  MPJ_Comm_size(WORLD, &size);
  return size;
}

static MPJ_Datatype committed(MPJ_Count n, MPJ_Count stride, MPJ_Datatype old)
{
  MPJ_Datatype made = MPJ_DATATYPE_NULL;
  MPJ_Type_vector(n, 1, stride, old, &made);
  MPJ_Type_commit(&made);
  return made;
}

/* Rank 0's operand is the leftmost: REPLACE takes the left one. */
static int order(void *arg)
{
  (void)arg;
  const int me = rank_of(), p = size_of(), mine = 10 + me;
  int all = -1, upto = -1, before = -1, root = -1;
  CHECK(MPJ_Allreduce(&mine, MPJ_INT, &all, MPJ_INT, MPJ_REPLACE, WORLD) == MPJ_SUCCESS);
  CHECK(MPJ_Reduce(&mine, MPJ_INT, &root, MPJ_INT, MPJ_REPLACE, p - 1, WORLD) == MPJ_SUCCESS);
  CHECK(MPJ_Scan(&mine, MPJ_INT, &upto, MPJ_INT, MPJ_REPLACE, WORLD) == MPJ_SUCCESS);
  CHECK(MPJ_Exscan(&mine, MPJ_INT, &before, MPJ_INT, MPJ_SUM, WORLD) == MPJ_SUCCESS);
  CHECK(all == 10 && upto == 10);
  CHECK(root == (me == p - 1 ? 10 : -1));
  CHECK(before == (me == 0 ? -1 : 10 * me + me * (me - 1) / 2));
  return 0;
}

START_TEST(operands_stand_in_rank_order)
{
  for (int p = 1; p <= 5; p++)
    ck_assert_int_eq(MPJ_Run_threads(p, order, NULL), 0);
}
END_TEST

static int in_place_exscan(void *arg)
{
  (void)arg;
  int data = 7 + rank_of();
  CHECK(MPJ_Exscan(MPJ_IN_PLACE, MPJ_INT, &data, MPJ_INT, MPJ_MAX, WORLD) == MPJ_SUCCESS);
  CHECK(data == (rank_of() == 0 ? 7 : 6 + rank_of()));
  return 0;
}

START_TEST(exscan_leaves_the_first_rank_its_buffer)
{
  ck_assert_int_eq(MPJ_Run_threads(4, in_place_exscan, NULL), 0);
}
END_TEST

/* Sums of doubles that depend on the order: the bits of every rank and run. */
enum { RANKS = 7, DOUBLES = 5000, RUNS = 4 };
static double sums[RUNS][RANKS][DOUBLES];

static int sum_doubles(void *arg)
{
  const int run = *(const int *)arg, me = rank_of();
  const MPJ_Count stride = (run + me) % 3 + 1; /* other layouts in every run */
  MPJ_Datatype in = committed(DOUBLES, stride, MPJ_DOUBLE), out = committed(DOUBLES, 1, MPJ_DOUBLE);
  double *data = calloc((size_t)(DOUBLES * stride), sizeof *data);
  CHECK(data != NULL);
  for (MPJ_Count i = 0; i < DOUBLES; i++)
    data[i * stride] = 1.0 / (double)(1 + i * 31 + me * me * 7919) - (me % 2 ? 1e10 : 0.1);
  CHECK(MPJ_Allreduce(data, in, sums[run][me], out, MPJ_SUM, WORLD) == MPJ_SUCCESS);
  free(data);
  MPJ_Type_free(&out);
  MPJ_Type_free(&in);
  return 0;
}

START_TEST(allreduce_has_the_same_bits_on_all_ranks_and_in_all_runs)
{
  for (int run = 0; run < RUNS; run++)
    ck_assert_int_eq(MPJ_Run_threads(RANKS, sum_doubles, &run), 0);
  for (int i = 1; i < RUNS * RANKS; i++)
    ck_assert(memcmp(sums[0][0], sums[i / RANKS][i % RANKS], sizeof sums[0][0]) == 0);
}
END_TEST

/* Every part is one int; the result lies over the first, in place. */
static int widest(void *arg)
{
  (void)arg;
  const int me = rank_of(), p = size_of();
  MPJ_Datatype parts = committed(p, 1, MPJ_INT);
  int *data = calloc((size_t)p, sizeof *data), sum = me;
  CHECK(data != NULL);
  for (int i = 0; i < p; i++)
    data[i] = me + i;
  CHECK(MPJ_Reduce_scatter(MPJ_IN_PLACE, parts, data, MPJ_INT, MPJ_SUM, WORLD) == MPJ_SUCCESS);
  CHECK(data[0] == p * (p - 1) / 2 + p * me);
  CHECK(MPJ_Scan(MPJ_IN_PLACE, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, WORLD) == MPJ_SUCCESS);
  CHECK(sum == me * (me + 1) / 2);
  free(data);
  MPJ_Type_free(&parts);
  return 0;
}

START_TEST(the_largest_number_of_threads_reduces_in_place)
{
  ck_assert_int_eq(MPJ_Run_threads(256, widest, NULL), 0);
}
END_TEST

int main(void)
{
  return RUN_SUITE("reductions", operands_stand_in_rank_order,
                   exscan_leaves_the_first_rank_its_buffer,
                   allreduce_has_the_same_bits_on_all_ranks_and_in_all_runs,
                   the_largest_number_of_threads_reduces_in_place);
}
