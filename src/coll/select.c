/* This file chooses algorithms, by rules over what all ranks know alike: the
 * operation, the communicator's size, whether its ranks exceed the cores, the
 * signature where all share it, and the MPJ_COLL_ settings (whose digest was
 * compared when the ranks met). */
#include "base/config.h"
#include "coll/algorithms.h"

/* The words of MPJ_COLL_..., "auto" being 0. */
enum { BARRIER_DISSEMINATION = 1, BARRIER_FLAT };
enum { BCAST_FLAT = 1, BCAST_BINOMIAL };
enum { REDUCE_FLAT = 1, REDUCE_SEGMENTS };

enum {
  BCAST_FLAT_RANKS = 4,        /* up to here a root reaches everybody as fast as a tree does */
  SEGMENTS_LEAST_BYTES = 8192, /* from here on halving the work pays a second phase */
  SEGMENTS_MOST_RANKS = MPJ_BITS_MAX / 2
};

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

/* Reduce and Allreduce. A forced choice that is not possible falls back. */
static unsigned choose_reduce(const struct mpj_comm *comm, const struct mpj_choice *choice,
                              int forced)
{
  const bool possible = choice->cuttable && comm->size > 1 && comm->size <= SEGMENTS_MOST_RANKS;
  if (!possible || forced == REDUCE_FLAT) return REDUCE_FLAT;
  if (forced == REDUCE_SEGMENTS) return REDUCE_SEGMENTS;
  return choice->bytes >= SEGMENTS_LEAST_BYTES ? REDUCE_SEGMENTS : REDUCE_FLAT;
}

int mpj_select_schedule(struct mpj_comm *comm, const struct mpj_choice *choice,
                        struct mpj_schedule **schedule)
{
  unsigned algorithm = 0;
  mpj_algorithm_fn *build = NULL;
  switch (choice->operation) {
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
  case MPJ_OPERATION_ALLGATHER:
    build = mpj_allgather_flat;
    break;
  case MPJ_OPERATION_ALLTOALL:
    build = mpj_alltoall_flat;
    break;
  case MPJ_OPERATION_REDUCE:
    algorithm = choose_reduce(comm, choice, mpj_config()->coll_reduce);
    build = algorithm == REDUCE_FLAT ? mpj_reduce_flat : mpj_reduce_segments;
    break;
  case MPJ_OPERATION_ALLREDUCE:
    algorithm = choose_reduce(comm, choice, mpj_config()->coll_allreduce);
    build = algorithm == REDUCE_FLAT ? mpj_allreduce_flat : mpj_allreduce_segments;
    break;
  case MPJ_OPERATION_REDUCE_SCATTER:
    build = mpj_reduce_scatter_flat;
    break;
  case MPJ_OPERATION_SCAN:
    build = mpj_scan_flat;
    break;
  case MPJ_OPERATION_EXSCAN:
    build = mpj_exscan_flat;
    break;
  case MPJ_OPERATION_NONE:
  case MPJ_OPERATIONS:
    *schedule = &comm->no_steps;
    return MPJ_SUCCESS;
  }
  return mpj_schedule_cached(comm, choice->operation, algorithm, choice->root, choice->variant,
                             build, schedule);
}
