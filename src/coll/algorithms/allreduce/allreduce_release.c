/* This file lays down the allreduce over shared memory in one phase: each rank posts its data, and
 * combines all contributions in rank order, so all get the same bits.
 *
 * Cost: alpha + n beta to give, (p - 1)(alpha + n (beta + gamma)) to take, and (p - 1) n bytes of
 * temporaries. Wins where ranks share memory, for short data: nobody waits twice. */
#include "coll/algorithms/shapes/everywhere.h"
#include "coll/select/algorithms.h"

void mpj_allreduce_release(struct mpj_flow *f, int root)
{
  (void)root;
  mpj_combine_everywhere(f, true);
}
