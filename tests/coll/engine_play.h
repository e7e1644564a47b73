/* This header declares shorthands for tests that run schedules of their own over
 * thread ranks, through the engine itself. */
#ifndef MPJ_TESTS_COLL_ENGINE_PLAY_H
#define MPJ_TESTS_COLL_ENGINE_PLAY_H

#include <mpj/mpj.h>

#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "coll/comm/context.h"
#include "coll/need.h"
#include "coll/plan/flow.h"
#include "coll/plan/schedule_steps.h"
#include "coll/run/engine.h"
#include "types/basic.h"

/* Run n ranks: each returned 0, and nothing that they allocated is left. */
static inline void play(int n, int (*fn)(void *), void *arg)
{
  const int line = MPJ_Run_threads(n, fn, arg);
  ck_assert_msg(line == 0, "%d ranks: line %d (%s)", n, line, MPJ_Error_detail());
}

static inline struct mpj_comm *world(void)
{
  return mpj_context_current()->world;
}

static inline const struct mpj_type *type_of(MPJ_Datatype handle)
{
  struct mpj_type *type = NULL;
  return mpj_type_resolve(handle, "type", &type) == MPJ_SUCCESS ? type : NULL;
}

/* Start and complete one operation. The schedule stays the caller's. */
static inline int run_schedule(struct mpj_comm *comm, struct mpj_schedule *s,
                               const struct mpj_call *call)
{
  struct mpj_slot *slot;
  const int status = mpj_engine_start(comm, s, call, &slot);
  return status == MPJ_SUCCESS ? mpj_engine_complete(comm, slot) : status;
}

/* Build a schedule by `build`, one of the operations' names on it; NULL on error. */
static inline struct mpj_schedule *schedule_by(mpj_algorithm_fn *build, int root)
{
  const unsigned variant = MPJ_RADIX_MOST * MPJ_VARIANT_RADIX; /* for who has a radix */
  struct mpj_schedule_builder *b;
  struct mpj_schedule *s = NULL;
  if (mpj_schedule_begin(MPJ_OPERATION_GATHER, 99, root, variant, &b) != MPJ_SUCCESS) return NULL;
  struct mpj_flow flow = mpj_flow_begin(world(), b, variant);
  build(&flow, root);
  mpj_flow_end(&flow);
  return mpj_schedule_finish(b, &s) == MPJ_SUCCESS ? s : NULL;
}

/* Whole buffers and the k-th temporary. */
static const struct mpj_operand whole_send = {.buffer = MPJ_BUFFER_SEND, .part = MPJ_WHOLE};
static const struct mpj_operand whole_recv = {.buffer = MPJ_BUFFER_RECV, .part = MPJ_WHOLE};

/* Meet the other ranks outside the library, while polling: `count` is shared,
 * and counts from 0 for each use. */
static inline void rendezvous(struct mpj_comm *comm, _Atomic int *count)
{
  unsigned idle = 0;
  atomic_fetch_add(count, 1);
  while (atomic_load(count) < comm->size)
    if (!mpj_net_poll(comm->net)) mpj_net_idle(comm->net, &idle);
}

#endif
