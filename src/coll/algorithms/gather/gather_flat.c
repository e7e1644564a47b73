/* This file lays down the flat gather: each rank sends to the root, which takes
 * what comes in any order.
 *
 * Cost: alpha + (p - 1) n beta at the root; long data is pulled by the root
 * when it gets there, so nothing is stored on the way. */
#include "coll/plan/flow.h"
#include "coll/select/algorithms.h"

void mpj_gather_flat(struct mpj_flow *f, int root)
{
  const int p = f->comm->size, me = f->comm->rank;
  const unsigned parts = mpj_flow_phase(f, p - 1);
  const struct mpj_operand mine = mpj_operand_whole(MPJ_BUFFER_SEND);
  if (me != root) {
    mpj_flow_send(f, root, mpj_name_between(f, parts, me, root), mine);
    return;
  }
  for (int from = 0; from < p; from++)
    if (from != me)
      mpj_flow_recv(f, from, mpj_name_between(f, parts, from, me),
                    mpj_operand_part(MPJ_BUFFER_RECV, from));
  mpj_flow_copy(f, mine, mpj_operand_part(MPJ_BUFFER_RECV, me));
}
