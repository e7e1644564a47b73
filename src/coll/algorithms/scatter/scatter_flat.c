/* This file lays down the flat scatter: the root sends each rank its part.
 *
 * Cost: (p - 1)(alpha + n beta) at the root; long data is pulled by the ranks. */
#include "coll/plan/flow.h"
#include "coll/select/algorithms.h"

void mpj_scatter_flat(struct mpj_flow *f, int root)
{
  const int p = f->comm->size, me = f->comm->rank;
  const unsigned parts = mpj_flow_phase(f, p - 1);
  const struct mpj_operand mine = mpj_operand_whole(MPJ_BUFFER_RECV);
  if (me != root) {
    mpj_flow_recv(f, root, mpj_name_between(f, parts, root, me), mine);
    return;
  }
  for (int k = 1; k < p; k++) {
    const int to = (me + k) % p;
    mpj_flow_send(f, to, mpj_name_between(f, parts, me, to), mpj_operand_part(MPJ_BUFFER_SEND, to));
  }
  mpj_flow_copy(f, mpj_operand_part(MPJ_BUFFER_SEND, me), mine);
}
