/* This header declares the plays of distributed arrays: each makes random arrays and a schedule,
 * runs it, and returns 0, or 1 after a line on stderr. All ranks draw the same numbers. */
#ifndef MPJ_TESTS_ARRAY_PLAYS_H
#define MPJ_TESTS_ARRAY_PLAYS_H

#include "array/model.h"
#include "coll/runner.h"

typedef int play_fn(const struct run *run, struct mpj_random *rng);
play_fn play_remap, play_halo, play_shift, play_subscript, play_graph;

static inline int play_below(struct mpj_random *rng, int n)
{
  return (int)(mpj_random_next(rng) % (uint64_t)n);
}

#endif
