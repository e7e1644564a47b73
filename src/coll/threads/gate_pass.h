/* This header declares how threads take a rank and let it go. */
#ifndef MPJ_SRC_COLL_THREADS_GATE_PASS_H
#define MPJ_SRC_COLL_THREADS_GATE_PASS_H

#include "coll/threads/gate.h"

/* Set up the gate of zeroed memory, open. */
void mpj_gate_begin(struct mpj_gate *gate);
void mpj_gate_end(struct mpj_gate *gate);

/* Close it: from now on threads take turns. While only the caller is inside. */
void mpj_gate_close(struct mpj_context *context);
/* Open it again: only the caller is left. */
void mpj_gate_open(struct mpj_context *context);

/* Take the closed gate for a call, and let go of it. */
void mpj_gate_take(struct mpj_context *context);
void mpj_gate_leave(struct mpj_context *context);

/* The same for the progress thread, who is inside no call. */
void mpj_gate_lock(struct mpj_gate *gate);
void mpj_gate_unlock(struct mpj_context *context);

/* Before a call that has waited returns: what the rank has sent leaves its process
 * (mpj_net_settle), or whoever stays inside, or the progress thread, sees to that. */
void mpj_gate_settle(struct mpj_context *context);

/* Be outside for a while in the middle of a call, and go on with it. */
unsigned mpj_gate_step_out(struct mpj_context *context);
void mpj_gate_step_in(struct mpj_context *context, unsigned kept);

/* Let others in who wait, if any do, and take the gate again. */
void mpj_gate_pass(struct mpj_context *context);

#endif
