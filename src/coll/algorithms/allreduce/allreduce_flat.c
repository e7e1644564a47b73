/* This file lays down the flat allreduce: everybody sends to everybody, and
 * each combines all contributions in rank order, so all get the same bits.
 *
 * Cost: (p - 1)(alpha + n (beta + gamma)), one message deep, and (p - 1) n bytes
 * of temporaries. Wins for short data, and by far where ranks exceed the cores. */
#include "coll/algorithms/shapes/everywhere.h"
#include "coll/select/algorithms.h"

void mpj_allreduce_flat(struct mpj_flow *f, int root)
{
  (void)root;
  mpj_combine_everywhere(f, false);
}
