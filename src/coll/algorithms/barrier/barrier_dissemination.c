/* This file lays down the dissemination barrier.
 *
 * Round j = 0 .. ceil(log2 p) - 1: signal rank + 2^j, await rank - 2^j (modulo
 * p); the signal of round j + 1 follows the await of round j. Arrival j sets
 * bit j + 1, so cur_val is the number of rounds passed plus one.
 * Cost: ceil(log2 p) alpha. Wins where every rank has a core.
 * Source: Hensgen, Finkel, Manber 1988; on bit vectors: US 8,056,090. */
#include "coll/plan/build.h"
#include "coll/select/algorithms.h"

void mpj_barrier_dissemination(struct mpj_flow *f, int root)
{
  (void)root;
  const int p = f->comm->size, me = f->comm->rank;
  const unsigned rounds = mpj_flow_signals(f, mpj_rounds(p, 2));
  for (int distance = 1, t = 1; distance < p; distance *= 2, t++) {
    mpj_flow_signal(f, (me + distance) % p, mpj_name(rounds, t));
    mpj_flow_await(f, (me - distance + p) % p, mpj_name(rounds, t));
  }
}
