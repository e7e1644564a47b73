/* This file lays down the flat broadcast: the root sends to each rank.
 *
 * Cost: (p - 1)(alpha + n beta) at the root, one message deep. Wins for few
 * ranks, and where ranks exceed the cores: nobody waits for an inner node's
 * turn. */
#include "coll/algorithms.h"

int mpj_bcast_flat(const struct mpj_comm *comm, int root, unsigned variant,
                   struct mpj_schedule_builder *b)
{
  (void)variant;
  const int p = comm->size, me = comm->rank;
  const struct mpj_operand buf = mpj_operand_whole(MPJ_BUFFER_RECV);
  if (me != root) {
    mpj_schedule_recv(b, root, mpj_distance_bit(root, me, p), buf, 0, NULL);
    return MPJ_SUCCESS;
  }
  for (int k = 1; k < p; k++) {
    const int to = (me + k) % p;
    mpj_schedule_send(b, to, mpj_distance_bit(me, to, p), buf, 0, NULL);
  }
  return MPJ_SUCCESS;
}
