/* This header declares how the operation of a call begins, and the blocking call. */
#ifndef MPJ_SRC_COLL_CALLS_COLLECTIVE_CALL_H
#define MPJ_SRC_COLL_CALLS_COLLECTIVE_CALL_H

#include "coll/calls/collective.h"

/* Begin a call of whatever form as the communicator's next operation, for which there is room: its
 * plan is found, unless it is known. If its checks have failed (status, with the thread's detail),
 * or it cannot begin, the others hear of it, and the operation ends with that error: cannot fail.
 */
struct mpj_slot *mpj_call_start(struct mpj_comm *comm, const struct mpj_choice *choice,
                                struct mpj_call *call, int status);

/* Run a prepared call: begin it, once there is room, and wait for it. If the checks have failed,
 * take this rank through it all the same, so that the others hear of it, and return that status. */
int mpj_call_run(struct mpj_prepared *p);

#endif
