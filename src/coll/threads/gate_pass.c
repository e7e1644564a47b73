/* This file is the lock of a rank's threads. */
#include "coll/threads/gate_pass.h"

#include <assert.h>

#include "coll/comm/context.h"
#include "coll/control/messages.h"
#include "net/waiting.h"

enum { YIELDS = 16 }; /* for whoever waits to get in, before the gate is taken again */

/* An address that is this thread's alone. */
static const void *myself(void)
{
  static _Thread_local char mark;
  return &mark;
}

void mpj_gate_begin(struct mpj_gate *gate)
{
  pthread_mutex_init(&gate->mutex, NULL);
}

void mpj_gate_end(struct mpj_gate *gate)
{
  pthread_mutex_destroy(&gate->mutex);
}

void mpj_gate_lock(struct mpj_gate *gate)
{
  if (pthread_mutex_trylock(&gate->mutex) != 0) {
    atomic_fetch_add(&gate->wanted, 1);
    pthread_mutex_lock(&gate->mutex);
    atomic_fetch_sub(&gate->wanted, 1);
  }
  atomic_store_explicit(&gate->holder, myself(), memory_order_relaxed);
  gate->depth = 1;
}

static void let_go(struct mpj_gate *gate)
{
  gate->depth = 0;
  atomic_store_explicit(&gate->holder, NULL, memory_order_relaxed);
  pthread_mutex_unlock(&gate->mutex);
}

static void rouse(struct mpj_context *context, bool wanted)
{
  context->gate.news = false;
  if (wanted && context->net && context->net->sleepers > 0)
    mpj_net_wake(context->net, context->net->rank);
}

void mpj_gate_unlock(struct mpj_context *context)
{
  struct mpj_gate *gate = &context->gate;
  rouse(context, gate->news || gate->slept);
  gate->slept = false;
  let_go(gate);
}

void mpj_gate_take(struct mpj_context *context)
{
  struct mpj_gate *gate = &context->gate;
  if (atomic_load_explicit(&gate->holder, memory_order_relaxed) == myself()) {
    gate->depth++;
    return;
  }
  atomic_fetch_add(&gate->inside, 1);
  mpj_gate_lock(gate);
  atomic_fetch_add_explicit(&gate->calls, 1, memory_order_relaxed);
}

void mpj_gate_settle(struct mpj_context *context)
{
  struct mpj_gate *gate = &context->gate;
  if (!context->net || gate->heir) return;
  gate->unsettled = gate->closed && atomic_load(&gate->inside) > 1;
  if (gate->unsettled) return;
  mpj_told_settle(&context->control); /* of a meeting to which this rank came last, say */
  mpj_net_settle(context->net);
}

void mpj_gate_leave(struct mpj_context *context)
{
  struct mpj_gate *gate = &context->gate;
  assert(atomic_load_explicit(&gate->holder, memory_order_relaxed) == myself());
  if (gate->depth > 1) {
    gate->depth--;
    return;
  }
  const bool last = atomic_fetch_sub(&gate->inside, 1) == 1;
  if (last && gate->unsettled) mpj_gate_settle(context);
  const struct mpj_gate_heir *heir = last ? gate->heir : NULL;
  const bool handed_over = heir && heir->is_wanted(context);
  mpj_gate_unlock(context);
  if (handed_over) heir->ring(context);
}

void mpj_gate_pass(struct mpj_context *context)
{
  struct mpj_gate *gate = &context->gate;
  if (!gate->closed || atomic_load_explicit(&gate->wanted, memory_order_relaxed) == 0) return;
  const unsigned depth = gate->depth;
  rouse(context, gate->news);
  let_go(gate);
  for (int i = 0; i < YIELDS && atomic_load(&gate->wanted) > 0; i++)
    mpj_give_core();
  mpj_gate_lock(gate);
  gate->depth = depth;
}

unsigned mpj_gate_step_out(struct mpj_context *context)
{
  struct mpj_gate *gate = &context->gate;
  const unsigned depth = gate->depth;
  if (!gate->closed) return 0;
  atomic_fetch_sub(&gate->inside, 1);
  mpj_gate_unlock(context);
  return depth;
}

void mpj_gate_step_in(struct mpj_context *context, unsigned kept)
{
  struct mpj_gate *gate = &context->gate;
  if (!gate->closed) return;
  atomic_fetch_add(&gate->inside, 1);
  mpj_gate_lock(gate);
  gate->depth = kept;
}

/* A pause of the endpoint's idle function. */

static unsigned go_away(void *ctx, bool asleep)
{
  struct mpj_context *context = ctx;
  struct mpj_gate *gate = &context->gate;
  const unsigned depth = gate->depth;
  (void)asleep;
  rouse(context, gate->news);
  let_go(gate);
  for (int i = 0; i < YIELDS && atomic_load_explicit(&gate->wanted, memory_order_relaxed) > 0; i++)
    mpj_give_core();
  return depth;
}

static void come_back(void *ctx, bool asleep, unsigned depth)
{
  struct mpj_context *context = ctx;
  mpj_gate_lock(&context->gate);
  context->gate.depth = depth;
  if (asleep) context->gate.slept = true;
}

void mpj_gate_close(struct mpj_context *context)
{
  context->gate.closed = true;
  if (context->net) context->net->turns = (struct mpj_net_turns){go_away, come_back, context};
}

void mpj_gate_open(struct mpj_context *context)
{
  context->gate.closed = false;
  if (context->net) context->net->turns = (struct mpj_net_turns){0};
}
