/* This header declares how a schedule's rounds are made and combined. */
#ifndef MPJ_SRC_ARRAY_RUN_ROUNDS_MAKE_H
#define MPJ_SRC_ARRAY_RUN_ROUNDS_MAKE_H

#include "array/run/rounds.h"

/* Divide a schedule without members into rounds, in place of those that it has. window: moved, with
 * its starts, whatever the status; of one round not looked at. Errors: those of the constructors.
 */
int mpj_rounds_set(struct mpj_array_schedule *schedule, int nrounds, struct mpj_window window);
void mpj_rounds_end(struct mpj_array_schedule *schedule);

/* One of several rounds, which is the caller's to end, on an error too. */
int mpj_round_make(struct mpj_array_schedule *schedule, int k, struct mpj_round *round);
void mpj_round_end(struct mpj_round *round);

/* How many rounds this rank needs. */
MPJ_Count mpj_rounds_needed(const struct mpj_array_schedule *schedule, MPJ_Count window);

/* scratch holds what came in the round: combine it into `from` in rank order, each rank's pieces by
 * their keys. fetch: in its place leave what was there before. */
int mpj_round_combine(const struct mpj_array_schedule *schedule, const struct mpj_round *round,
                      char *scratch, void *from, MPJ_Op op, bool fetch);

#endif
