/* This header declares how threads take a rank and let it go. */
#ifndef MPJ_SRC_COLL_THREADS_RANK_LOCK_PASS_H
#define MPJ_SRC_COLL_THREADS_RANK_LOCK_PASS_H

#include "coll/threads/rank_lock.h"

/* Set up the lock of zeroed memory, open. */
void mpj_rank_lock_begin(struct mpj_rank_lock *lock);
void mpj_rank_lock_end(struct mpj_rank_lock *lock);

/* Close it: from now on threads take turns. While only the caller is inside. */
void mpj_rank_lock_close(struct mpj_context *context);
/* Open it again: only the caller is left. */
void mpj_rank_lock_open(struct mpj_context *context);

/* Take the closed lock for a call, and let go of it. */
void mpj_rank_lock_take(struct mpj_context *context);
void mpj_rank_lock_leave(struct mpj_context *context);

/* The same for the progress thread, who is inside no call. */
void mpj_rank_lock_acquire(struct mpj_rank_lock *lock);
void mpj_rank_lock_release(struct mpj_context *context);

/* Before a call that has waited returns: what the rank has sent leaves its process
 * (mpj_net_settle), or whoever stays inside, or the progress thread, sees to that. */
void mpj_rank_lock_settle(struct mpj_context *context);

/* Be outside for a while in the middle of a call, and go on with it. */
unsigned mpj_rank_lock_step_out(struct mpj_context *context);
void mpj_rank_lock_step_in(struct mpj_context *context, unsigned kept);

/* Let others in who wait, if any do, and take the lock again. */
void mpj_rank_lock_pass(struct mpj_context *context);

#endif
