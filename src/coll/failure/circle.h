/* This header declares how ranks find out that they wait for each other in a circle, each in
 * another operation: a start that one has forgotten, say, while the others are in a barrier.
 *
 * A rank is blocked in an operation while one of its calls returns only when that has ended; not in
 * a test, nor where it waits for any of several, nor where several threads call. One that is
 * blocked for a while asks those whom it needs (MPJ_ARRIVAL_CIRCLE); what comes for operation n of
 * a communicator goes on so:
 *
 *   the rank                             what it does
 *   has ended operation n                nothing
 *   has begun it                         asks on those whom it needs there, unless all meet
 *                                        there: these have been asked
 *   has not begun it, and is blocked     asks on those whom it needs where it is blocked
 *   the same, and the question is its    it asks again after a while, some times, as what
 *   own                                  is on its way may end it; if that comes back, too, there
 *                                        is a circle: what it is blocked in fails
 *   has not begun it, is not blocked     nothing: it may yet begin it
 *
 * Of more than 15 ranks each asks at some of these times only, and more often if another one waits
 * for it on another communicator: of each circle some are such. For each operation, and for what a
 * rank is blocked in, the stamp of the last question of each rank is noted: neither that nor an
 * earlier one is asked on from there again. A question carries how the asking rank's call differs
 * from what the first rank is blocked in that has not begun it, being in another communicator's or
 * request's: what is reported.
 *
 * Who waits until an operation can begin is blocked in what that waits for: the oldest one, if
 * there is no room, or the check of calls before it. */
#ifndef MPJ_SRC_COLL_FAILURE_CIRCLE_H
#define MPJ_SRC_COLL_FAILURE_CIRCLE_H

#include "coll/comm/context.h"

/* The calling rank is blocked in operation `sequence` of the communicator; or no more. */
static inline void mpj_circle_block(struct mpj_comm *comm, uint64_t sequence)
{
  struct mpj_circle *c = &comm->context->circle;
  if (c->comm == comm && c->sequence == sequence) return;
  c->comm = comm;
  c->sequence = sequence;
  c->first = c->stamp + 1;
  c->since = 0;
  c->crossed = false;
}

/* Or it waits until another operation can begin: it is blocked in the oldest one where there is no
 * room, else in the last, as calls are compared in that (check/check.h). */
static inline void mpj_circle_block_queue(struct mpj_comm *comm)
{
  const bool full = comm->started >= comm->completed + mpj_comm_slots(comm);
  mpj_circle_block(comm, full ? comm->completed : comm->started - 1);
}

static inline void mpj_circle_unblock(struct mpj_context *context)
{
  context->circle.comm = NULL;
}

/* Another rank waits for this one in an operation of the communicator that it has not begun. */
static inline void mpj_circle_awaited(const struct mpj_comm *comm)
{
  struct mpj_circle *c = &comm->context->circle;
  if (c->comm && c->comm != comm) c->crossed = true;
}

/* Ask, if the rank is blocked. */
void mpj_circle_ask(struct mpj_context *context);
/* Whether a question has come back, and it is time to see whether another one does. */
static inline bool mpj_circle_is_due(const struct mpj_context *context, double now)
{
  const struct mpj_circle *c = &context->circle;
  return c->comm && c->since != 0 && now >= c->ask_at;
}

/* Another rank asks about operation `sequence`, which has not ended here. NULL, or the operation in
 * which this rank is blocked in a circle, whose end has this cause. */
struct mpj_slot *mpj_circle_asked(struct mpj_comm *comm, uint64_t sequence,
                                  const struct mpj_arrival_message *message,
                                  struct mpj_cause *cause);

#endif
