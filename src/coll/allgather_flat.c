/* This file lays down the flat allgather: everybody sends to everybody.
 *
 * Cost: (p - 1)(alpha + n beta), one message deep; long data is pulled straight
 * from each rank's buffer into its place, so nothing is moved twice. */
#include "coll/algorithms.h"

int mpj_allgather_flat(const struct mpj_comm *comm, int root, unsigned variant,
                       struct mpj_schedule_builder *b)
{
  (void)root;
  const int p = comm->size, me = comm->rank;
  const bool in_place = variant & MPJ_VARIANT_IN_PLACE;
  const struct mpj_operand place = mpj_operand_part(MPJ_BUFFER_RECV, me);
  const struct mpj_operand mine = in_place ? place : mpj_operand_whole(MPJ_BUFFER_SEND);
  for (int k = 1; k < p; k++) {
    const int to = (me + k) % p;
    mpj_schedule_send(b, to, mpj_distance_bit(me, to, p), mine, 0, NULL);
  }
  for (int from = 0; from < p; from++)
    if (from != me)
      mpj_schedule_recv(b, from, mpj_distance_bit(from, me, p),
                        mpj_operand_part(MPJ_BUFFER_RECV, from), 0, NULL);
  if (!in_place) mpj_schedule_copy(b, mine, place, 0, NULL);
  return MPJ_SUCCESS;
}
