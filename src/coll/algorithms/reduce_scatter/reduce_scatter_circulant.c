/* This file lays down the reduce-scatter along the circulant graph, with parts of any
 * sizes.
 *
 * Cost, for any p: ceil(log2 p) alpha + (p - 1) / p n (beta + gamma), the least that is
 * possible in both; n is copied once. For operations that commute.
 * Source: J. L. Traeff 2024 (ring_blocks.c). */
#include "coll/algorithms/shapes/ring_blocks.h"
#include "coll/select/algorithms.h"

void mpj_reduce_scatter_circulant(struct mpj_flow *f, int root)
{
  (void)root;
  const struct mpj_operand input = mpj_operand_whole(MPJ_BUFFER_SEND);
  const struct mpj_ring_blocks sum = {mpj_flow_temporary(f, input), true};
  const struct mpj_ring_blocks room = {mpj_flow_temporary(f, input), true};
  mpj_flow_alias(f);
  mpj_flow_copy(f, input, sum.whole);
  mpj_circulant_reduce_scatter(f, sum, room);
  mpj_flow_copy(f, mpj_ring_blocks_of(f, sum, f->comm->rank, 1),
                mpj_operand_whole(MPJ_BUFFER_RECV));
}
