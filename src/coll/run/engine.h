/* This header declares how operations are begun, moved on, waited for and ended. */
#ifndef MPJ_SRC_COLL_RUN_ENGINE_H
#define MPJ_SRC_COLL_RUN_ENGINE_H

#include "coll/run/control.h"

/* Begin operation comm->started with this schedule and these arguments; the
 * slot is borrowed until mpj_engine_finish. It is in order if that is possible, and then the call
 * is borrowed, too, until it is spread; what was in order before is spread. Errors: MPJ_ERR_NO_MEM,
 * in which case nothing has begun. */
MPJ_HOT int mpj_engine_start(struct mpj_comm *comm, struct mpj_schedule *schedule,
                             const struct mpj_call *call, struct mpj_slot **slot);

/* Run what can be run. Returns whether anything moved. */
bool mpj_engine_advance(struct mpj_comm *comm, struct mpj_slot *slot);

/* Whether the operation has ended and its buffers are the caller's. */
bool mpj_engine_is_finished(const struct mpj_comm *comm, const struct mpj_slot *slot);

/* Clear a finished slot, publish the progress, and return the call's status. */
MPJ_HOT int mpj_engine_finish(struct mpj_comm *comm, struct mpj_slot *slot);

/* Begin an operation that has failed with `status` on this rank, so that the
 * others hear of it; it has no steps. There is room for it. Cannot fail. */
struct mpj_slot *mpj_engine_start_failed(struct mpj_comm *comm, int status);

/* complete.c: poll until finished, then finish: the rest of a blocking call. */
MPJ_HOT int mpj_engine_complete(struct mpj_comm *comm, struct mpj_slot *slot);

/* progress.c: move on everything of the rank that is under way, on whatever
 * communicator, without waiting; operations with a request that have ended are
 * finished. Returns whether anything moved. */
bool mpj_engine_progress(struct mpj_context *context);
/* The same for a few communicators, in turn: what a call does that neither waits nor is waited for,
 * however much is under way. look: see who has gone, too. Returns whether anything moved, or was
 * looked at. */
bool mpj_engine_progress_some(struct mpj_context *context, bool look);
/* The same as mpj_engine_progress but for one slot, whose caller looks after it, and without a
 * poll. */
bool mpj_engine_advance_others(struct mpj_context *context, const struct mpj_slot *slot);
/* One turn of a loop that waits for requests: progress, or, if there is nothing
 * to do, a look at the other ranks and a pause. */
struct mpj_pause {
  unsigned idle;
  uint32_t changes; /* of ranks, as last looked at */
};
void mpj_engine_step(struct mpj_pause *pause);
/* The same without a pause. Returns whether anything moved, or was looked at. */
bool mpj_engine_turn(struct mpj_context *context, struct mpj_pause *pause);
/* Look after what waits for long (mpj_watch). */
void mpj_engine_watch(struct mpj_context *context);
/* The end of such a loop: what the calling rank has sent leaves its process. */
void mpj_engine_settle(void);
/* Wait until a further operation may begin at once, all queued ones being on
 * their way. */
void mpj_engine_make_room(struct mpj_comm *comm);

#endif
