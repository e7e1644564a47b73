/* This file lays down the allreduce of long data: rank k combines segment k of
 * all ranks' data and sends the result to all.
 *
 * Cost: 2 (p - 1)(alpha + n / p beta) + (p - 1) n / p gamma, two messages deep:
 * the least data moved. Same bits everywhere: each element is combined once.
 * Source: Rabenseifner 2004, with a flat exchange in both phases. */
#include "coll/algorithms/shapes/segments.h"
#include "coll/select/algorithms.h"

void mpj_allreduce_segments(struct mpj_flow *f, int root)
{
  (void)root;
  const int p = f->comm->size, me = f->comm->rank;
  const struct mpj_operand result = mpj_dense_result(f);
  const struct mpj_operand mine = mpj_segments_lay(f, result, false);
  const unsigned results = mpj_flow_phase(f, p - 1);
  for (int k = 1; k < p; k++) {
    const int to = (me + k) % p;
    mpj_flow_send(f, to, mpj_name_between(f, results, me, to), mine);
  }
  for (int k = 1; k < p; k++) {
    const int from = (me + k) % p;
    mpj_flow_recv(f, from, mpj_name_between(f, results, from, me),
                  mpj_operand_segment(result, from, p));
  }
  mpj_deliver(f, result);
}
