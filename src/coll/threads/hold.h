/* This header declares how a call holds its rank. */
#ifndef MPJ_SRC_COLL_THREADS_HOLD_H
#define MPJ_SRC_COLL_THREADS_HOLD_H

#include "coll/comm/context.h"
#include "coll/threads/rank_lock_pass.h"

/* A call of the library holds its rank: other threads of the rank wait until it returns,
 * or pauses. Where threads take no turns both do nothing; NULL is let pass. */
static inline struct mpj_context *mpj_hold(struct mpj_context *context)
{
  if (context && context->lock.closed) mpj_rank_lock_take(context);
  return context;
}

static inline void mpj_let_go(struct mpj_context *context)
{
  if (context && context->lock.closed) mpj_rank_lock_leave(context);
}

/* MPJ_HELD context = mpj_hold(mpj_context_current()); holds it to the block's end. */
static inline void mpj_let_go_at_end(struct mpj_context *const *held)
{
  mpj_let_go(*held);
}
#define MPJ_HELD __attribute__((cleanup(mpj_let_go_at_end))) struct mpj_context *const

#endif
