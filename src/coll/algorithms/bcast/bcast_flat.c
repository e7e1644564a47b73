/* This file lays down the flat broadcast: the root sends to each rank.
 *
 * Cost: (p - 1)(alpha + n beta) at the root, one message deep. Wins for few ranks, and where
 * ranks exceed the cores: nobody waits for an inner node's turn. */
#include "coll/plan/flow.h"
#include "coll/select/algorithms.h"

void mpj_bcast_flat(struct mpj_flow *f, int root)
{
  const int p = f->comm->size, me = f->comm->rank;
  const unsigned data = mpj_flow_phase(f, p - 1);
  const struct mpj_operand buf = mpj_operand_whole(MPJ_BUFFER_RECV);
  if (me != root) mpj_flow_recv(f, root, mpj_name_between(f, data, root, me), buf);
  for (int k = 1; me == root && k < p; k++) {
    const int to = (me + k) % p;
    mpj_flow_send(f, to, mpj_name_between(f, data, me, to), buf);
  }
}
