/* This file lays down the allreduce along the circulant graph: a reduce-scatter of p
 * segments, and an allgather.
 *
 * Cost, for any p: 2 ceil(log2 p) alpha + 2 (p - 1) / p n beta + (p - 1) / p n gamma, the
 * least that is possible in time and volume; n moves once more on this rank. For
 * operations that commute.
 * Source: J. L. Traeff 2024 (ring_blocks.c). */
#include "coll/algorithms/shapes/ring_blocks.h"
#include "coll/select/algorithms.h"

void mpj_allreduce_circulant(struct mpj_flow *f, int root)
{
  (void)root;
  const struct mpj_operand input = mpj_operand_whole(MPJ_BUFFER_SEND);
  const struct mpj_ring_blocks sum = {.whole = mpj_dense_result(f)};
  const struct mpj_ring_blocks room = {.whole =
                                           mpj_flow_temporary(f, mpj_input_buffer(f->variant))};
  if (!(f->variant & MPJ_VARIANT_IN_PLACE))
    mpj_flow_copy(f, input, sum.whole);
  else if (sum.whole.buffer != MPJ_BUFFER_RECV)
    mpj_flow_copy(f, mpj_operand_whole(MPJ_BUFFER_RECV), sum.whole);
  mpj_circulant_reduce_scatter(f, sum, room);
  mpj_circulant_allgather(f, sum);
  mpj_deliver(f, sum.whole);
}
