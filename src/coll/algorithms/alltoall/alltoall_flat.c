/* This file lays down the flat alltoall: part j of each rank's data goes
 * straight to rank j.
 *
 * In place, what comes from j waits in a temporary until what goes to j, which
 * lies where it belongs, has left.
 * Cost: (p - 1)(alpha + n / p beta), one message deep. */
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

static void exchange_in_place(const struct mpj_comm *comm, int peer, struct mpj_schedule_builder *b)
{
  const int p = comm->size, me = comm->rank;
  const struct mpj_operand part = mpj_operand_part(MPJ_BUFFER_RECV, peer);
  const struct mpj_operand came = mpj_schedule_temporary(b, part);
  const int steps[2] = {mpj_schedule_send(b, peer, mpj_distance_bit(me, peer, p), part, 0, NULL),
                        mpj_schedule_recv(b, peer, mpj_distance_bit(peer, me, p), came, 0, NULL)};
  mpj_schedule_copy(b, came, part, 2, steps);
}

static void exchange(const struct mpj_comm *comm, int peer, struct mpj_schedule_builder *b)
{
  const int p = comm->size, me = comm->rank;
  mpj_schedule_send(b, peer, mpj_distance_bit(me, peer, p), mpj_operand_part(MPJ_BUFFER_SEND, peer),
                    0, NULL);
  mpj_schedule_recv(b, peer, mpj_distance_bit(peer, me, p), mpj_operand_part(MPJ_BUFFER_RECV, peer),
                    0, NULL);
}

int mpj_alltoall_flat(const struct mpj_comm *comm, int root, unsigned variant,
                      struct mpj_schedule_builder *b)
{
  (void)root;
  const int p = comm->size, me = comm->rank;
  const bool in_place = variant & MPJ_VARIANT_IN_PLACE;
  for (int k = 1; k < p; k++) {
    if (in_place)
      exchange_in_place(comm, (me + k) % p, b);
    else
      exchange(comm, (me + k) % p, b);
  }
  if (!in_place)
    mpj_schedule_copy(b, mpj_operand_part(MPJ_BUFFER_SEND, me),
                      mpj_operand_part(MPJ_BUFFER_RECV, me), 0, NULL);
  return MPJ_SUCCESS;
}
