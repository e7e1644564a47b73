/* This header declares the plays of distributed arrays: each makes random arrays and a schedule,
 * runs it, and returns 0, or 1 after a line on stderr. All ranks draw the same numbers. */
#ifndef MPJ_TESTS_ARRAY_PLAYS_H
#define MPJ_TESTS_ARRAY_PLAYS_H

#include "array/model.h"
#include "coll/runner.h"

typedef int play_fn(const struct run *run, struct mpj_random *rng);
play_fn play_remap, play_halo, play_shift, play_subscript, play_graph;

/* Run a schedule forward in one of the forms that there are; 0: blocking. */
static inline int play_forward(MPJ_Schedule schedule, int form, const void *from, void *to)
{
  MPJ_Request request;
  int phases, status;
  MPJ_Schedule_phases(schedule, &phases);
  if (form == 0 || phases > 1) return MPJ_Schedule_forward(schedule, from, to);
  if (form == 1) {
    status = MPJ_Schedule_iforward(schedule, from, to, &request);
    return status ? status : MPJ_Wait(&request);
  }
  status = MPJ_Schedule_forward_init(schedule, from, to, &request);
  for (int i = 0; i < 2 && !status; i++) {
    status = MPJ_Start(&request);
    if (!status) status = MPJ_Wait(&request);
  }
  return status ? status : MPJ_Request_free(&request);
}

static inline int play_below(struct mpj_random *rng, int n)
{
  return (int)(mpj_random_next(rng) % (uint64_t)n);
}

#endif
