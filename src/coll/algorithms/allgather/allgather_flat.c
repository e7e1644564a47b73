/* This file lays down the flat allgather: everybody sends to everybody, or posts
 * for all.
 *
 * Cost: (p - 1)(alpha + n beta), one message deep; posted, alpha + n beta to give; long data is
 * pulled straight from each rank's buffer into its place, so nothing is moved twice. */
#include "coll/algorithms/shapes/to_all.h"
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

int mpj_allgather_flat(const struct mpj_comm *comm, int root, unsigned variant,
                       struct mpj_schedule_builder *b)
{
  (void)root;
  const int p = comm->size, me = comm->rank;
  const bool in_place = variant & MPJ_VARIANT_IN_PLACE;
  const struct mpj_operand place = mpj_operand_part(MPJ_BUFFER_RECV, me);
  const struct mpj_operand mine = in_place ? place : mpj_operand_whole(MPJ_BUFFER_SEND);
  mpj_send_to_all(comm, b, mine, 0, NULL);
  for (int k = 1; k < p; k++) {
    const int from = (me + k) % p;
    mpj_recv_from(comm, b, from, mpj_operand_part(MPJ_BUFFER_RECV, from), 0, NULL);
  }
  if (!in_place) mpj_schedule_copy(b, mine, place, 0, NULL);
  return MPJ_SUCCESS;
}
