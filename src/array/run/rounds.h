/* This header declares the rounds in which backward goes: what is sent and received at a time,
 * where, and what becomes of it.
 *
 * Each rank counts the elements that come to it: all of them in rank order where places are met
 * several times (so they are combined in that order), else each sender's from 0. Round k is
 * elements [k * window, (k + 1) * window) of these. Without a limit there is one round. */
#ifndef MPJ_SRC_ARRAY_ROUNDS_H
#define MPJ_SRC_ARRAY_ROUNDS_H

#include "array/array_schedule.h"

struct mpj_window {
  MPJ_Count elements;      /* at least 1 */
  const MPJ_Count *starts; /* [ranks of in] where the elements for each begin in its count; or NULL:
                              at 0 */
};

/* The rounds of a schedule without members, in place of those that it has; or, window NULL, one
 * round of all unless it has some. Errors: those of the constructors. */
int mpj_rounds_make(struct mpj_array_schedule *schedule, int nrounds,
                    const struct mpj_window *window);
void mpj_rounds_end(struct mpj_array_schedule *schedule);

/* How many rounds this rank needs. */
MPJ_Count mpj_rounds_needed(const struct mpj_array_schedule *schedule, MPJ_Count window);

/* scratch holds what came in the round: combine it into `from` in rank order, each rank's pieces by
 * their keys. fetch: in its place leave what was there before. */
int mpj_round_combine(const struct mpj_array_schedule *schedule, const struct mpj_round *round,
                      char *scratch, void *from, MPJ_Op op, bool fetch);

/* spread.c: the spread's elements in the order of the given windows of their rounds. Errors:
 * MPJ_ERR_NO_MEM. */
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
