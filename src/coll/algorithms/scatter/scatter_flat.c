/* This file lays down the flat scatter: the root sends each rank its part.
 *
 * Cost: (p - 1)(alpha + n beta) at the root; long data is pulled by the ranks. */
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

int mpj_scatter_flat(const struct mpj_comm *comm, int root, unsigned variant,
                     struct mpj_schedule_builder *b)
{
  (void)variant;
  const int p = comm->size, me = comm->rank;
  const struct mpj_operand mine = mpj_operand_whole(MPJ_BUFFER_RECV);
  if (me != root) {
    mpj_schedule_recv(b, root, mpj_distance_bit(root, me, p), mine, 0, NULL);
    return MPJ_SUCCESS;
  }
  for (int k = 1; k < p; k++) {
    const int to = (me + k) % p;
    mpj_schedule_send(b, to, mpj_distance_bit(me, to, p), mpj_operand_part(MPJ_BUFFER_SEND, to), 0,
                      NULL);
  }
  mpj_schedule_copy(b, mpj_operand_part(MPJ_BUFFER_SEND, me), mine, 0, NULL);
  return MPJ_SUCCESS;
}
