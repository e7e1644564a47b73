/* This file is the lock of a rank's threads. */
#include "coll/threads/rank_lock_pass.h"

#include <assert.h>

#include "coll/comm/context.h"
#include "coll/control/messages.h"
#include "net/waiting.h"

enum { YIELDS = 16 }; /* for whoever waits to get in, before the lock is taken again */

/* An address that is this thread's alone. */
static const void *myself(void)
{
  static _Thread_local char mark;
  return &mark;
}

void mpj_rank_lock_begin(struct mpj_rank_lock *lock)
{
  pthread_mutex_init(&lock->mutex, NULL);
}

void mpj_rank_lock_end(struct mpj_rank_lock *lock)
{
  pthread_mutex_destroy(&lock->mutex);
}

void mpj_rank_lock_acquire(struct mpj_rank_lock *lock)
{
  if (pthread_mutex_trylock(&lock->mutex) != 0) {
    atomic_fetch_add(&lock->wanted, 1);
    pthread_mutex_lock(&lock->mutex);
    atomic_fetch_sub(&lock->wanted, 1);
  }
  atomic_store_explicit(&lock->holder, myself(), memory_order_relaxed);
  lock->depth = 1;
}

static void let_go(struct mpj_rank_lock *lock)
{
  lock->depth = 0;
  atomic_store_explicit(&lock->holder, NULL, memory_order_relaxed);
  pthread_mutex_unlock(&lock->mutex);
}

static void rouse(struct mpj_context *context, bool wanted)
{
  context->lock.news = false;
  if (wanted && context->net && context->net->sleepers > 0)
    mpj_net_wake(context->net, context->net->rank);
}

void mpj_rank_lock_release(struct mpj_context *context)
{
  struct mpj_rank_lock *lock = &context->lock;
  rouse(context, lock->news || lock->slept);
  lock->slept = false;
  let_go(lock);
}

void mpj_rank_lock_take(struct mpj_context *context)
{
  struct mpj_rank_lock *lock = &context->lock;
  if (atomic_load_explicit(&lock->holder, memory_order_relaxed) == myself()) {
    lock->depth++;
    return;
  }
  atomic_fetch_add(&lock->inside, 1);
  mpj_rank_lock_acquire(lock);
  atomic_fetch_add_explicit(&lock->calls, 1, memory_order_relaxed);
}

void mpj_rank_lock_settle(struct mpj_context *context)
{
  struct mpj_rank_lock *lock = &context->lock;
  if (!context->net || lock->heir) return;
  lock->unsettled = lock->closed && atomic_load(&lock->inside) > 1;
  if (lock->unsettled) return;
  mpj_told_settle(&context->control); /* of a meeting to which this rank came last, say */
  mpj_net_settle(context->net);
}

void mpj_rank_lock_leave(struct mpj_context *context)
{
  struct mpj_rank_lock *lock = &context->lock;
  assert(atomic_load_explicit(&lock->holder, memory_order_relaxed) == myself());
  if (lock->depth > 1) {
    lock->depth--;
    return;
  }
  const bool last = atomic_fetch_sub(&lock->inside, 1) == 1;
  if (last && lock->unsettled) mpj_rank_lock_settle(context);
  const struct mpj_rank_lock_heir *heir = last ? lock->heir : NULL;
  const bool handed_over = heir && heir->is_wanted(context);
  mpj_rank_lock_release(context);
  if (handed_over) heir->ring(context);
}

void mpj_rank_lock_pass(struct mpj_context *context)
{
  struct mpj_rank_lock *lock = &context->lock;
  if (!lock->closed || atomic_load_explicit(&lock->wanted, memory_order_relaxed) == 0) return;
  const unsigned depth = lock->depth;
  rouse(context, lock->news);
  let_go(lock);
  for (int i = 0; i < YIELDS && atomic_load(&lock->wanted) > 0; i++)
    mpj_give_core();
  mpj_rank_lock_acquire(lock);
  lock->depth = depth;
}

unsigned mpj_rank_lock_step_out(struct mpj_context *context)
{
  struct mpj_rank_lock *lock = &context->lock;
  const unsigned depth = lock->depth;
  if (!lock->closed) return 0;
  atomic_fetch_sub(&lock->inside, 1);
  mpj_rank_lock_release(context);
  return depth;
}

void mpj_rank_lock_step_in(struct mpj_context *context, unsigned kept)
{
  struct mpj_rank_lock *lock = &context->lock;
  if (!lock->closed) return;
  atomic_fetch_add(&lock->inside, 1);
  mpj_rank_lock_acquire(lock);
  lock->depth = kept;
}

/* A pause of the endpoint's idle function. */

static unsigned go_away(void *ctx, bool asleep)
{
  struct mpj_context *context = ctx;
  struct mpj_rank_lock *lock = &context->lock;
  const unsigned depth = lock->depth;
  (void)asleep;
  rouse(context, lock->news);
  let_go(lock);
  for (int i = 0; i < YIELDS && atomic_load_explicit(&lock->wanted, memory_order_relaxed) > 0; i++)
    mpj_give_core();
  return depth;
}

static void come_back(void *ctx, bool asleep, unsigned depth)
{
  struct mpj_context *context = ctx;
  mpj_rank_lock_acquire(&context->lock);
  context->lock.depth = depth;
  if (asleep) context->lock.slept = true;
}

void mpj_rank_lock_close(struct mpj_context *context)
{
  context->lock.closed = true;
  if (context->net) context->net->turns = (struct mpj_net_turns){go_away, come_back, context};
}

void mpj_rank_lock_open(struct mpj_context *context)
{
  context->lock.closed = false;
  if (context->net) context->net->turns = (struct mpj_net_turns){0};
}
