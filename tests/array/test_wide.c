/* This file counts what a rank of a grid of 1,024 x 1,024 ranks needs to make a schedule. */
#include <stdlib.h>

#include <mpj/array.h>
#include <mpj/mpj.h>

#include "array/describe/grid_ranks.h"
#include "array/remap.h"
#include "array/schedule_life.h"
#include "base/memory.h"
#include "base/suite.h"

/* What one rank has made of a remap of n x n doubles between blocks and the same, moved by half a
 * block, over side x side ranks. */
struct cost {
  long peak, peers;
  unsigned long allocations;
};

static struct cost make(int side, MPJ_Count block, bool dealt)
{
  const int grid[2] = {side, side}, rank = side * (side / 2) + side / 2;
  const MPJ_Count n = side * block;
  const MPJ_Axis axes[2] = {{.size = n, .distribute = MPJ_DISTRIBUTE_BLOCK},
                            {.size = n, .distribute = MPJ_DISTRIBUTE_BLOCK, .grid_dim = 1}};
  const MPJ_Axis others[2] = {
      {.size = n, .distribute = MPJ_DISTRIBUTE_CYCLIC, .darg = block / 2},
      {.size = n, .distribute = MPJ_DISTRIBUTE_CYCLIC, .darg = block / 2, .grid_dim = 1}};
  struct mpj_array_schedule *s;
  struct mpj_grid_array *from, *to;
  mpj_memory_meter_start();
  const unsigned long before = mpj_memory_made();
  ck_assert_int_eq(mpj_array_describe(2, axes, 2, grid, NULL, MPJ_ORDER_C, NULL, MPJ_DOUBLE,
                                      side * side, rank, &from),
                   MPJ_SUCCESS);
  ck_assert_int_eq(mpj_array_describe(2, dealt ? others : axes, 2, grid, NULL, MPJ_ORDER_C, NULL,
                                      MPJ_DOUBLE, side * side, rank, &to),
                   MPJ_SUCCESS);
  struct mpj_end one = mpj_end_whole(from, MPJ_ORDER_C), other = mpj_end_whole(to, MPJ_ORDER_C);
  for (int d = 0; d < 2 && !dealt; d++) {
    one.range[d] = (MPJ_Range){block / 2, n - block, 1};
    other.range[d] = (MPJ_Range){0, n - block, 1};
  }
  ck_assert_int_eq(mpj_array_schedule_new("wide", MPJ_COMM_SELF, MPJ_DOUBLE, &s), MPJ_SUCCESS);
  s->size = side * side;
  s->rank = rank;
  ck_assert_int_eq(mpj_remap_list(s, &one, &other), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_array_schedule_exchange(s, false), MPJ_SUCCESS);
  struct cost cost = {.peers = (long)(s->out.n + s->in.n),
                      .allocations = mpj_memory_made() - before};
  cost.peak = mpj_memory_meter_stop().peak;
  mpj_array_schedule_release(s);
  mpj_array_release(from);
  mpj_array_release(to);
  return cost;
}

START_TEST(a_rank_of_a_million_pays_for_its_peers)
{
  MPJ_Init(NULL, NULL);
  make(4, 64, false); /* what is made once */
  const struct cost few = make(4, 64, false), many = make(1024, 64, false);
  ck_assert_int_eq((int)few.peers, 8);
  ck_assert_int_eq((int)many.peers, 8);
  ck_assert_int_eq((int)many.allocations, (int)few.allocations);
  ck_assert_msg(many.peak <= few.peak + few.peak / 8, "%ld bytes, of 16 ranks %ld", many.peak,
                few.peak);
  ck_assert_msg(many.peak < 64 * 1024, "%ld bytes", many.peak);
  MPJ_Finalize();
}
END_TEST

START_TEST(blocks_dealt_over_a_million_cost_their_peers)
{
  MPJ_Init(NULL, NULL);
  const struct cost few = make(8, 64, true), many = make(1024, 64, true);
  ck_assert_int_eq((int)many.peers, (int)few.peers);
  ck_assert_msg(many.peak <= 2 * few.peak, "%ld bytes, of 64 ranks %ld", many.peak, few.peak);
  MPJ_Finalize();
}
END_TEST

int main(void)
{
  return RUN_SUITE("array_wide", a_rank_of_a_million_pays_for_its_peers,
                   blocks_dealt_over_a_million_cost_their_peers);
}
