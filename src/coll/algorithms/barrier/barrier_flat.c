/* This file lays down the flat barrier: one phase, everybody counts in at one
 * place and looks until all have.
 *
 * Cost: one atomic on a shared line and one look a turn, whatever p is. Wins
 * where ranks exceed the cores: a rank waits once, not once a round, and its
 * turn is short. Needs one machine. */
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

enum { HOME = 0 };

int mpj_barrier_flat(const struct mpj_comm *comm, int root, unsigned variant,
                     struct mpj_schedule_builder *b)
{
  (void)variant;
  (void)root;
  if (comm->size > 1) mpj_schedule_meet(b, HOME, 0, NULL);
  return MPJ_SUCCESS;
}
