/* This file lays down the dissemination barrier.
 *
 * Round j = 0 .. ceil(log2 p) - 1: signal rank + 2^j, await rank - 2^j (modulo
 * p); the signal of round j + 1 follows the await of round j. Arrival j sets
 * bit j + 1, so cur_val is the number of rounds passed plus one.
 * Cost: ceil(log2 p) alpha. Wins where every rank has a core.
 * Source: Hensgen, Finkel, Manber 1988; on bit vectors: US 8,056,090. */
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

int mpj_barrier_dissemination(const struct mpj_comm *comm, int root, unsigned variant,
                              struct mpj_schedule_builder *b)
{
  (void)variant;
  (void)root;
  const int p = comm->size;
  int before = -1;
  unsigned round = 0;
  for (int distance = 1; distance < p; distance *= 2, round++) {
    const int to = (comm->rank + distance) % p, from = (comm->rank - distance + p) % p;
    mpj_schedule_signal(b, to, round + 1, before >= 0, &before);
    before = mpj_schedule_await(b, from, round + 1, before >= 0, &before);
  }
  return MPJ_SUCCESS;
}
