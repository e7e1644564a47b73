/* This file lays down the flat barrier: one phase, everybody signals everybody.
 *
 * Cost: alpha + (p - 1) signals, each an atomic on a peer's line. Wins where
 * ranks exceed the cores, because a rank then waits once, not once a round. */
#include "coll/algorithms.h"

int mpj_barrier_flat(const struct mpj_comm *comm, int root, struct mpj_schedule_builder *b)
{
  (void)root;
  const int p = comm->size, me = comm->rank;
  for (int k = 1; k < p; k++) {
    const int to = (me + k) % p;
    mpj_schedule_signal(b, to, mpj_distance_bit(me, to, p), mpj_operand_none(), 0, NULL);
  }
  for (int from = 0; from < p; from++)
    if (from != me) mpj_schedule_await(b, from, mpj_distance_bit(from, me, p), 0, NULL);
  return MPJ_SUCCESS;
}
