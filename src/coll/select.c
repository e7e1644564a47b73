/* This file chooses algorithms, by rules over what all ranks know alike: the
 * operation, the communicator's size, whether its ranks exceed the cores, and
 * the MPJ_COLL_ settings (whose digest was compared when the ranks met). */
#include "base/config.h"
#include "coll/algorithms.h"

/* The words of MPJ_COLL_BARRIER and MPJ_COLL_BCAST, "auto" being 0. */
enum { BARRIER_DISSEMINATION = 1, BARRIER_FLAT };
enum { BCAST_FLAT = 1, BCAST_BINOMIAL };

/* Up to here a root reaches everybody as fast as a tree does. */
enum { BCAST_FLAT_RANKS = 4 };

static unsigned choose_barrier(const struct mpj_comm *comm)
{
  const int forced = mpj_config()->coll_barrier;
  if (forced) return (unsigned)forced;
  return comm->oversubscribed ? BARRIER_FLAT : BARRIER_DISSEMINATION;
}

static unsigned choose_bcast(const struct mpj_comm *comm)
{
  const int forced = mpj_config()->coll_bcast;
  if (forced) return (unsigned)forced;
  return comm->oversubscribed || comm->size <= BCAST_FLAT_RANKS ? BCAST_FLAT : BCAST_BINOMIAL;
}

int mpj_select_schedule(struct mpj_comm *comm, enum mpj_operation operation, int root,
                        struct mpj_schedule **schedule)
{
  unsigned algorithm = 0;
  mpj_algorithm_fn *build = NULL;
  switch (operation) {
  case MPJ_OPERATION_BARRIER:
    algorithm = choose_barrier(comm);
    build = algorithm == BARRIER_FLAT ? mpj_barrier_flat : mpj_barrier_dissemination;
    break;
  case MPJ_OPERATION_BCAST:
    algorithm = choose_bcast(comm);
    build = algorithm == BCAST_FLAT ? mpj_bcast_flat : mpj_bcast_binomial;
    break;
  case MPJ_OPERATION_GATHER:
    build = mpj_gather_flat;
    break;
  case MPJ_OPERATION_SCATTER:
    build = mpj_scatter_flat;
    break;
  case MPJ_OPERATION_NONE:
  case MPJ_OPERATIONS:
    *schedule = &comm->no_steps;
    return MPJ_SUCCESS;
  }
  return mpj_schedule_cached(comm, operation, algorithm, root, build, schedule);
}
