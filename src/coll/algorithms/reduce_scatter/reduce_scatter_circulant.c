/* This file lays down the reduce-scatter along the circulant graph, with parts of any
 * sizes.
 *
 * Cost, for any p: ceil(log2 p) alpha + (p - 1) / p n (beta + gamma), the least that is
 * possible in both; n is copied once. For operations that commute.
 * Source: J. L. Traeff 2024 (around.c). */
#include "coll/algorithms/shapes/around.h"
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

int mpj_reduce_scatter_circulant(const struct mpj_comm *comm, int root, unsigned variant,
                                 struct mpj_schedule_builder *b)
{
  (void)root;
  struct mpj_flow f = mpj_flow_begin(comm, b, variant);
  const struct mpj_operand input = mpj_operand_whole(MPJ_BUFFER_SEND);
  const struct mpj_around sum = {mpj_schedule_temporary(b, input), true};
  const struct mpj_around room = {mpj_schedule_temporary(b, input), true};
  f.aliased = variant & MPJ_VARIANT_IN_PLACE;
  mpj_flow_copy(&f, input, sum.whole);
  mpj_circulant_reduce_scatter(&f, sum, room);
  mpj_flow_copy(&f, mpj_around_blocks(&f, sum, comm->rank, 1), mpj_operand_whole(MPJ_BUFFER_RECV));
  return mpj_flow_end(&f);
}
