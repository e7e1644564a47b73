/* This header declares how a rank waits for operations, requests and active messages: all loops
 * that wait take turns, in each of which everything of the rank that is under way is moved on; a
 * turn in which nothing moved ends with a look at who has gone, and a pause (net/waiting.h). Only
 * an operation that still walks is waited for otherwise, at first (engine.c): by looks for what its
 * next step needs. And a transport is drained without the engine where that has ended. */
#ifndef MPJ_SRC_COLL_RUN_WAIT_TURN_H
#define MPJ_SRC_COLL_RUN_WAIT_TURN_H

#include "coll/run/control.h"

struct mpj_pause {
  unsigned idle; /* turns in a row that have found nothing */
  long doze_us;  /* not 0: a pause is a sleep, at most so long */
};

/* A turn without its pause. Returns whether anything moved, or was looked at. */
bool mpj_wait_turn(struct mpj_context *context, struct mpj_pause *pause);
/* A whole turn. Other threads of the rank hear what has moved. */
void mpj_wait_step(struct mpj_context *context, struct mpj_pause *pause);
/* A test that has moved nothing on for a caller that tests again and again: the core is given away,
 * and what the rank waits for asked after, now and then. moved: something else has moved. */
void mpj_wait_tested(struct mpj_context *context, bool moved);
/* One that has found something makes up for a few of these. */
void mpj_wait_found(struct mpj_context *context);
/* Ask after what waits for long (mpj_watch). */
void mpj_wait_watch(struct mpj_context *context);

/* The end of a wait: what the rank has sent leaves its process. */
void mpj_wait_settle(struct mpj_context *context);
/* Wait until a further operation may begin at once, all queued ones being on their way. */
void mpj_wait_for_room(struct mpj_comm *comm);

#endif
