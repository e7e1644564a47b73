/* This file lays down the flat barrier: one phase, everybody counts in at one
 * place and looks until all have.
 *
 * Cost: one atomic on a shared line and one look a turn, whatever p is. Wins
 * where ranks exceed the cores: a rank waits once, not once a round, and its
 * turn is short. Needs one machine. */
#include "coll/plan/flow.h"
#include "coll/select/algorithms.h"

enum { HOME = 0 };

void mpj_barrier_flat(struct mpj_flow *f, int root)
{
  (void)root;
  if (f->comm->size > 1) mpj_flow_meet(f, HOME);
}
