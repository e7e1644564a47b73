/* This file lays down the reduce of long data: rank k combines segment k of all
 * ranks' data and sends the result to the root.
 *
 * Cost: (p - 1)(alpha + 2 n / p beta) + (p - 1) n / p gamma, two messages deep:
 * all ranks combine at once. */
#include "coll/algorithms/shapes/segments.h"
#include "coll/select/algorithms.h"

void mpj_reduce_segments(struct mpj_flow *f, int root)
{
  const int p = f->comm->size, me = f->comm->rank;
  const bool is_root = me == root;
  const struct mpj_operand like = mpj_operand_segment(mpj_operand_whole(MPJ_BUFFER_SEND), me, p);
  const struct mpj_operand result = is_root ? mpj_dense_result(f) : mpj_flow_temporary(f, like);
  const struct mpj_operand mine = mpj_segments_lay(f, result, !is_root);
  const unsigned to_root = mpj_flow_phase(f, p - 1);
  if (!is_root) {
    mpj_flow_send(f, root, mpj_name_between(f, to_root, me, root), mine);
    return;
  }
  for (int k = 1; k < p; k++) {
    const int from = (me + k) % p;
    mpj_flow_recv(f, from, mpj_name_between(f, to_root, from, me),
                  mpj_operand_segment(result, from, p));
  }
  mpj_deliver(f, result);
}
