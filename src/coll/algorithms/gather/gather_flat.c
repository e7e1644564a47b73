/* This file lays down the flat gather: each rank sends to the root, which takes
 * what comes in any order.
 *
 * Cost: alpha + (p - 1) n beta at the root; long data is pulled by the root
 * when it gets there, so nothing is stored on the way. */
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

int mpj_gather_flat(const struct mpj_comm *comm, int root, unsigned variant,
                    struct mpj_schedule_builder *b)
{
  (void)variant;
  const int p = comm->size, me = comm->rank;
  const struct mpj_operand mine = mpj_operand_whole(MPJ_BUFFER_SEND);
  if (me != root) {
    mpj_schedule_send(b, root, mpj_distance_bit(me, root, p), mine, 0, NULL);
    return MPJ_SUCCESS;
  }
  for (int from = 0; from < p; from++)
    if (from != me)
      mpj_schedule_recv(b, from, mpj_distance_bit(from, me, p),
                        mpj_operand_part(MPJ_BUFFER_RECV, from), 0, NULL);
  mpj_schedule_copy(b, mine, mpj_operand_part(MPJ_BUFFER_RECV, me), 0, NULL);
  return MPJ_SUCCESS;
}
