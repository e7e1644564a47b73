/* This file lays down the flat broadcast: the root sends to each rank, or posts
 * for all.
 *
 * Cost: (p - 1)(alpha + n beta) at the root, one message deep; posted, alpha + n beta
 * there and at each rank. Wins for few ranks, and where ranks exceed the cores: nobody waits
 * for an inner node's turn. */
#include "coll/algorithms/shapes/to_all.h"
#include "coll/select/algorithms.h"

int mpj_bcast_flat(const struct mpj_comm *comm, int root, unsigned variant,
                   struct mpj_schedule_builder *b)
{
  (void)variant;
  const struct mpj_operand buf = mpj_operand_whole(MPJ_BUFFER_RECV);
  if (comm->rank == root)
    mpj_send_to_all(comm, b, buf, 0, NULL);
  else
    mpj_recv_from(comm, b, root, buf, 0, NULL);
  return MPJ_SUCCESS;
}
