/* This file tests calls that make a schedule, run it forward and free it: each moves what the loop
 * beside it says. */
#include <mpj/array.h>
#include <mpj/mpj.h>

#include "base/suite.h"

enum { P = 3, N = 12, OWN = N / P, GHOSTS = 1 };

/* Blocks, as dealt cards, and blocks in a ring with ghosts. */
struct arrays {
  MPJ_Array blocks, dealt, ring;
  int rank;
  double own[OWN], moved[OWN + 2 * GHOSTS];
};

/* The block's element k is its index. */
static int begin(struct arrays *a)
{
  const int p = P;
  MPJ_Axis axis = {.size = N, .distribute = MPJ_DISTRIBUTE_BLOCK};
  const MPJ_Axis dealt = {.size = N, .distribute = MPJ_DISTRIBUTE_CYCLIC};
  const MPJ_Comm world = MPJ_COMM_WORLD;
  int bad = MPJ_Comm_rank(world, &a->rank);
  bad = bad || MPJ_Array_create(1, &axis, 1, &p, MPJ_ORDER_C, MPJ_DOUBLE, world, &a->blocks);
  bad = bad || MPJ_Array_create(1, &dealt, 1, &p, MPJ_ORDER_C, MPJ_DOUBLE, world, &a->dealt);
  axis.periodic = 1;
  axis.ghost_low = axis.ghost_high = GHOSTS;
  bad = bad || MPJ_Array_create(1, &axis, 1, &p, MPJ_ORDER_C, MPJ_DOUBLE, world, &a->ring);
  for (int k = 0; k < OWN; k++)
    a->own[k] = a->rank * OWN + k;
  return bad;
}

static int end(struct arrays *a)
{
  return MPJ_Array_free(&a->blocks) || MPJ_Array_free(&a->dealt) || MPJ_Array_free(&a->ring);
}

/* Whether element k of what has come is first + k step, of a ring of N. */
static int has(const struct arrays *a, int n, int first, int step)
{
  for (int k = 0; k < n; k++)
    if (a->moved[k] != (first + k * step + N) % N) return 0;
  return 1;
}

static int remap(void *between)
{
  struct arrays a;
  if (begin(&a)) return __LINE__;
  const int status = between ? MPJ_Remap_between(a.blocks, NULL, a.dealt, NULL, NULL,
                                                 MPJ_COMM_WORLD, a.own, a.moved)
                             : MPJ_Remap(a.blocks, NULL, a.dealt, NULL, NULL, a.own, a.moved);
  if (status || !has(&a, OWN, a.rank, P)) return __LINE__;
  return end(&a) ? __LINE__ : 0;
}

static int halo(void *unused)
{
  struct arrays a;
  (void)unused;
  if (begin(&a) || MPJ_Halo(a.blocks, a.ring, NULL, NULL, 0, a.own, a.moved)) return __LINE__;
  if (!has(&a, OWN + 2 * GHOSTS, a.rank * OWN - GHOSTS, 1)) return __LINE__;
  return end(&a) ? __LINE__ : 0;
}

static int shift(void *unused)
{
  struct arrays a;
  (void)unused;
  if (begin(&a) || MPJ_Shift(a.blocks, 0, 5, MPJ_EDGE_CYCLIC, a.own, a.moved)) return __LINE__;
  if (!has(&a, OWN, a.rank * OWN - 5, 1)) return __LINE__;
  return end(&a) ? __LINE__ : 0;
}

static int gather(void *graph)
{
  enum { WANTED = 3 };
  struct arrays a;
  MPJ_Count index[WANTED], offsets[WANTED];
  int ranks[WANTED];
  if (begin(&a)) return __LINE__;
  for (int k = 0; k < WANTED; k++) {
    index[k] = (a.rank + 5 * k) % N;
    ranks[k] = (int)index[k] / OWN;
    offsets[k] = index[k] % OWN;
  }
  const int status = graph ? MPJ_Graph(OWN, WANTED, NULL, ranks, offsets, MPJ_DOUBLE,
                                       MPJ_COMM_WORLD, a.own, a.moved)
                           : MPJ_Subscript(a.blocks, WANTED, index, NULL, a.own, a.moved);
  if (status || !has(&a, WANTED, a.rank, 5)) return __LINE__;
  return end(&a) ? __LINE__ : 0;
}

START_TEST(a_remap_made_for_one_run_moves_all)
{
  ck_assert_int_eq(MPJ_Run_threads(P, remap, NULL), 0);
  ck_assert_int_eq(MPJ_Run_threads(P, remap, ""), 0);
}
END_TEST

START_TEST(a_halo_made_for_one_run_fills_the_ghosts)
{
  ck_assert_int_eq(MPJ_Run_threads(P, halo, NULL), 0);
}
END_TEST

START_TEST(a_shift_made_for_one_run_goes_round_a_ring)
{
  ck_assert_int_eq(MPJ_Run_threads(P, shift, NULL), 0);
}
END_TEST

START_TEST(a_gather_made_for_one_run_gets_what_it_names)
{
  ck_assert_int_eq(MPJ_Run_threads(P, gather, NULL), 0);
  ck_assert_int_eq(MPJ_Run_threads(P, gather, ""), 0);
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "array_once", a_remap_made_for_one_run_moves_all, a_halo_made_for_one_run_fills_the_ghosts,
      a_shift_made_for_one_run_goes_round_a_ring, a_gather_made_for_one_run_gets_what_it_names);
}
