/* This header declares the steps of a run of a schedule. A step is a collective call, or work of
 * this rank alone. All ranks have the same calls in the same order, whatever their ops.
 *
 *   forward   exchange; the other phases
 *   backward  in each round: collect or reduce into images; exchange back; combine; to fetch,
 *             exchange what was there before, and distribute it. Then, to fetch, broadcasts */
#ifndef MPJ_SRC_ARRAY_RUN_SCHEDULE_RUN_H
#define MPJ_SRC_ARRAY_RUN_SCHEDULE_RUN_H

#include "array/run/rounds.h"

enum mpj_direction { MPJ_FORWARD, MPJ_BACKWARD, MPJ_FETCH };

/* What is run, and how. */
struct mpj_schedule_run {
  struct mpj_array_schedule *schedule; /* borrowed */
  enum mpj_direction direction;
  MPJ_Op op; /* of this rank; which calls a run consists of does not depend on it */
  bool
      compares; /* the ranks compare how they run it first, as a call of its own (compare_runs.h) */
};

enum mpj_play_kind {
  MPJ_PLAY_COMPARE,
  MPJ_PLAY_EXCHANGE,
  MPJ_PLAY_BACK,  /* the exchange of a round */
  MPJ_PLAY_FETCH, /* and its other way */
  MPJ_PLAY_BCAST,
  MPJ_PLAY_REDUCE,
  MPJ_PLAY_LOCAL, /* from here on, work */
  MPJ_PLAY_SPREAD,
  MPJ_PLAY_ZERO,
  MPJ_PLAY_COLLECT,
  MPJ_PLAY_COMBINE,
  MPJ_PLAY_DISTRIBUTE
};

struct mpj_play_step {
  enum mpj_play_kind kind;
  int member, index; /* index: of a phase or a round */
};

/* Whether the run is one call, on all ranks, and work. */
bool mpj_run_is_single(const struct mpj_schedule_run *run);
/* Whether copies of a target are combined before they are sent. */
bool mpj_run_has_copies(const struct mpj_array_schedule *schedule);
/* Show all steps of it. */
typedef void mpj_step_fn(void *ctx, const struct mpj_play_step *step);
void mpj_run_steps(const struct mpj_schedule_run *run, mpj_step_fn *show, void *ctx);

/* Backward of a member need not combine: what comes goes straight to its place. */
static inline bool mpj_run_is_straight(const struct mpj_schedule_run *run,
                                       const struct mpj_array_schedule *member)
{
  return run->direction == MPJ_BACKWARD && run->op == MPJ_REPLACE && !member->overlap;
}

/* The last one of the ranks that replicate sends for all; unless its values win the others' are
 * combined with them. */
static inline bool mpj_run_reduces(const struct mpj_schedule_run *run,
                                   const struct mpj_array_schedule *member)
{
  return member->reduces && run->op != MPJ_REPLACE;
}

/* The rounds in which a member goes backward, whatever the op. */
static inline int mpj_rounds_of(const struct mpj_array_schedule *member)
{
  return member->nrounds > 0 ? member->nrounds : 1;
}

static inline bool mpj_step_is_call(const struct mpj_play_step *step)
{
  return step->kind < MPJ_PLAY_LOCAL;
}

#endif
