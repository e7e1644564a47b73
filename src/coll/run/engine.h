/* This header declares how operations are begun, moved on, waited for and ended.
 *
 * An operation runs the steps of its plan (plan.h). It begins as a walk: the steps run in their
 * order, in which none that waits for another rank comes before one that could run, each when those
 * before it are complete; what arrives for a later one is kept. Most operations of short data end
 * so. Where the walk cannot go on the steps are listed, and from then on each runs as soon as what
 * it waits for is complete. Both run the same steps by the same functions.
 *
 *   state    event                                          next
 *   (none)   a start                                        WALK; LISTED, if what came before it
 *                                                           is for no step, or there are verdicts
 *   WALK     the last step is complete                      it has ended
 *   WALK     a step fails, or will end by a callback        LISTED
 *   WALK     news of ranks or of failures                   LISTED
 *   WALK     other operations of the rank are under way     LISTED
 *   WALK     a wait, or so many tests, found nothing        LISTED
 *   LISTED   the last step is complete                      it has ended
 */
#ifndef MPJ_SRC_COLL_RUN_ENGINE_H
#define MPJ_SRC_COLL_RUN_ENGINE_H

#include "coll/run/control.h"

/* Begin operation comm->started with this schedule and these arguments; no step of it has run. The
 * slot and the call are borrowed until mpj_engine_finish. Errors: MPJ_ERR_NO_MEM,
 * in which case nothing has begun. */
MPJ_HOT int mpj_engine_start(struct mpj_comm *comm, struct mpj_schedule *schedule,
                             const struct mpj_call *call, struct mpj_slot **slot);

/* Go on with the walk of an operation that is not listed. True: it has ended, and is to be
 * finished. wait: look for what a step waits for some time, in vain if the operation is listed
 * after that. */
MPJ_HOT bool mpj_engine_walk(struct mpj_comm *comm, struct mpj_slot *slot, bool wait);

/* Run what can be run. Returns whether anything moved. */
bool mpj_engine_advance(struct mpj_comm *comm, struct mpj_slot *slot);

/* Whether the operation has ended and its buffers are the caller's. */
bool mpj_engine_is_finished(const struct mpj_slot *slot);
/* The same of one that is listed and to be finished: what has come is taken in before, if it may be
 * stray data (failure/one_sided.h). */
bool mpj_engine_is_over(struct mpj_comm *comm, struct mpj_slot *slot);

/* Whether more of the rank is under way than one operation of the communicator. */
MPJ_HOT bool mpj_engine_has_others(const struct mpj_comm *comm);

/* Clear a finished slot, publish the progress, and return the call's status. */
MPJ_HOT int mpj_engine_finish(struct mpj_comm *comm, struct mpj_slot *slot);

/* Begin an operation that has failed with `status` on this rank, so that the
 * others hear of it; it has no steps. There is room for it. Cannot fail. */
struct mpj_slot *mpj_engine_start_failed(struct mpj_comm *comm, int status);

/* complete.c: wait until it has ended, then finish it: the rest of a blocking call. */
MPJ_HOT int mpj_engine_complete(struct mpj_comm *comm, struct mpj_slot *slot);

/* progress.c: take in what has come, also from this rank itself where it is alone. Returns whether
 * anything moved. */
bool mpj_engine_poll(struct mpj_context *context);
/* The same, and move on everything of the rank that is under way, on whatever communicator, without
 * waiting; operations that somebody takes the outcome of and that have ended are finished. Returns
 * whether anything moved. */
bool mpj_engine_progress(struct mpj_context *context);
/* The same for a few communicators, in turn: what a call does that neither waits nor is waited for,
 * however much is under way. look: see who has gone, too. Returns whether anything moved, or was
 * looked at. */
bool mpj_engine_progress_some(struct mpj_context *context, bool look);
/* The same as mpj_engine_progress without a poll. */
bool mpj_engine_advance_all(struct mpj_context *context);
/* Look whether ranks that are needed have gone, for operations for which nobody has looked since
 * the last of so many changes. A look is one at all ranks: once a rank has died it must not be a
 * part of every test. Returns whether one has looked its last. */
bool mpj_engine_look_at_ranks(struct mpj_comm *comm, uint32_t changes);

#endif
