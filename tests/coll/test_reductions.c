/* This file states what reductions mean by small examples, on threads. */
#include <stdbool.h>
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

/* Ways to lay out so many doubles, each with other kinds of node on top. */
enum { DENSE, SEQUENCE, WINDOW, FORMS, PIECES = 200 };

/* A struct of vectors: a long sequence of unlike pieces. Sets *n and *span (in doubles). */
static MPJ_Datatype struct_of_vectors(MPJ_Count *n, MPJ_Count *span)
{
  MPJ_Datatype types[PIECES], made = MPJ_DATATYPE_NULL;
  MPJ_Count ones[PIECES], lens[PIECES];
  MPJ_Aint displs[PIECES];
  *n = *span = 0;
  for (int i = 0; i < PIECES; i++) {
    ones[i] = 1;
    lens[i] = 1 + i * 37 % 97;
    displs[i] = *span * (MPJ_Aint)sizeof(double);
    MPJ_Type_vector(lens[i], 1, 2 + i % 5, MPJ_DOUBLE, &types[i]);
    *n += lens[i];
    *span += lens[i] * (2 + i % 5) + 3 + i * 7 % 9;
  }
  MPJ_Type_create_struct(PIECES, ones, displs, types, &made);
  for (int i = 0; i < PIECES; i++)
    MPJ_Type_free(&types[i]);
  return made;
}

/* n of twice as many single doubles, the first of them at *span: a window of an index. */
static MPJ_Datatype slice_of_index(MPJ_Count n, MPJ_Count *span)
{
  MPJ_Datatype all, made = MPJ_DATATYPE_NULL;
  MPJ_Count *displs = calloc((size_t)(2 * n), sizeof *displs), at = 0;
  if (!displs) return made;
  for (MPJ_Count i = 0; i < 2 * n; i++)
    displs[i] = at += 2 + i * i % 3;
  MPJ_Type_create_indexed_block(2 * n, 1, displs, MPJ_DOUBLE, &all);
  MPJ_Type_create_slice(all, n / 2, n, &made);
  MPJ_Type_free(&all);
  free(displs);
  *span = at + 1;
  return made;
}

/* One rank describes one of its buffers in another way than all others do. */
struct difference {
  int form, rank;
  bool sends;
};

static int sum_described(void *arg)
{
  const struct difference *d = arg;
  const int me = rank_of(), p = size_of();
  MPJ_Count n, span, mine = 0;
  MPJ_Datatype sequence = struct_of_vectors(&n, &span), dense = committed(n, 1, MPJ_DOUBLE);
  MPJ_Datatype window = slice_of_index(n, &mine), forms[FORMS] = {dense, sequence, window};
  span = mine > span ? mine : span;
  const MPJ_Datatype other = me == d->rank ? forms[d->form] : dense;
  const MPJ_Datatype sendtype = d->sends ? other : dense, recvtype = d->sends ? dense : other;
  double *in = calloc((size_t)span, sizeof *in), *out = calloc((size_t)span, sizeof *out);
  double *sum = calloc((size_t)n, sizeof *sum);
  CHECK(in && out && sum && window != MPJ_DATATYPE_NULL);
  CHECK(!MPJ_Type_commit(&sequence) && !MPJ_Type_commit(&window));
  for (MPJ_Count i = 0; i < n; i++)
    sum[i] = (double)(i + me);
  CHECK(MPJ_Copy(sum, dense, in, sendtype) == MPJ_SUCCESS);
  CHECK(MPJ_Allreduce(in, sendtype, out, recvtype, MPJ_SUM, WORLD) == MPJ_SUCCESS);
  CHECK(MPJ_Copy(out, recvtype, sum, dense) == MPJ_SUCCESS);
  for (MPJ_Count i = 0; i < n; i++)
    CHECK(sum[i] == (double)(p * i + p * (p - 1) / 2));
  free(sum), free(out), free(in);
  MPJ_Type_free(&window), MPJ_Type_free(&dense), MPJ_Type_free(&sequence);
  return 0;
}

START_TEST(one_rank_may_describe_the_data_in_another_way)
{
  struct difference d;
  for (int p = 2; p <= 6; p++)
    for (d.form = SEQUENCE; d.form < FORMS; d.form++)
      for (int k = 0; k < 4; k++) {
        d.rank = k / 2 * (p - 1);
        d.sends = k % 2;
        ck_assert_int_eq(MPJ_Run_threads(p, sum_described, &d), 0);
      }
}
END_TEST

int main(void)
{
  return RUN_SUITE("reductions", operands_stand_in_rank_order,
                   exscan_leaves_the_first_rank_its_buffer,
                   allreduce_has_the_same_bits_on_all_ranks_and_in_all_runs,
                   one_rank_may_describe_the_data_in_another_way,
                   the_largest_number_of_threads_reduces_in_place);
}
