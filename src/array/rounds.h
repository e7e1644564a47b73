/* This header declares the rounds in which backward combines: what is received at a time, where,
 * and what becomes of it. */
#ifndef MPJ_SRC_ARRAY_ROUNDS_H
#define MPJ_SRC_ARRAY_ROUNDS_H

#include "array/array_schedule.h"

/* One round of all, unless there are some already. Errors: those of the constructors. */
int mpj_rounds_make(struct mpj_array_schedule *schedule);
void mpj_round_end(struct mpj_round *round);

/* What backward sends in the exchange: of `to`, or of the uniques where these are spread. */
MPJ_Datatype mpj_array_schedule_sent_back(const struct mpj_array_schedule *schedule);

/* scratch holds what came in the round: combine it into `from` in rank order, each rank's pieces by
 * their keys. fetch: in its place leave what was there before. */
int mpj_round_combine(const struct mpj_array_schedule *schedule, const struct mpj_round *round,
                      char *scratch, void *from, MPJ_Op op, bool fetch);

#endif
