/* This header declares the rounds in which backward goes: what is sent and received at a time,
 * where, and what becomes of it.
 *
 * Each rank counts the elements that come to it: all of them in rank order where places are met
 * several times (so they are combined in that order), else each sender's from 0. Round k is
 * elements [k * window, (k + 1) * window) of these. Without a limit there is one round, which is
 * kept. Of several a run makes the one that it is in, so their number takes no memory. */
#ifndef MPJ_SRC_ARRAY_ROUNDS_H
#define MPJ_SRC_ARRAY_ROUNDS_H

#include "array/array_schedule.h"

/* spread.c: sort the spread's elements, where they are, by the given windows of their rounds.
 * Errors: MPJ_ERR_NO_MEM. */
int mpj_spread_sort(struct mpj_array_schedule *schedule, int nrounds,
                    const struct mpj_window *window);

/* The first element of a round among n of a pair that begin at `start` in the receiver's count. */
static inline MPJ_Count mpj_round_begins(MPJ_Count round, const struct mpj_window *window,
                                         MPJ_Count start, MPJ_Count n)
{
  MPJ_Count at;
  if (__builtin_mul_overflow(round, window->elements, &at)) return n;
  at -= start;
  return at < 0 ? 0 : at > n ? n : at;
}

#endif
