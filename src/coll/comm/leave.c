/* This file lets a rank leave its job in good order. */
#include "coll/comm/leave.h"
#include "coll/calls/request.h"

#include "base/status.h"
#include "coll/closing/closing.h"
#include "coll/closing/closing_advance.h"
#include "coll/comm/context_create.h"
#include "coll/failure/circle.h"
#include "coll/failure/difference.h"
#include "coll/failure/difference_report.h"
#include "coll/run/engine.h"
#include "coll/run/wait_turn.h"

/* End those communicators on which nothing is under way, but WORLD: the rank calls nothing more on
 * them. Returns how many were looked at. */
static unsigned end_idle(struct mpj_context *context)
{
  unsigned n = 0;
  if (context->given_up > 0) return n; /* whose operations are still to begin, on any of them */
  for (struct mpj_comm *comm = context->live; comm; comm = comm->after, n++) {
    if (comm == context->world || comm->queued || comm->completed < comm->started) continue;
    if (comm->user && comm->serial == 0) /* it has not been joined */
      mpj_difference_unheard(comm);
    else
      mpj_closing_begin(comm, MPJ_OPERATION_FINALIZE);
  }
  return n;
}

/* The rank is blocked in what is under way: another may wait for a call that never comes. */
static void block(struct mpj_context *context)
{
  for (struct mpj_comm *comm = context->live; comm; comm = comm->after) {
    if (comm->completed == comm->started) continue;
    mpj_circle_block(comm, comm->completed);
    return;
  }
}

/* Finish the inits, as others may need what is known of them, and, in MPJ_Finalize, what the
 * program has given up. Meanwhile they hear what has ended, as they may wait for this rank where it
 * calls nothing more. All communicators are looked at so seldom that this costs no more than the
 * steps between. */
static void settle(struct mpj_context *context, bool in_finalize)
{
  enum { LOOKED_AT_A_STEP = 64 };
  struct mpj_pause pause = {0};
  unsigned steps = 0;
  while (context->joining > 0 || (in_finalize && mpj_context_open(context, true) > 0)) {
    if (steps-- == 0) {
      steps = end_idle(context) / LOOKED_AT_A_STEP;
      block(context);
    }
    mpj_difference_of_broken(context->world); /* before what others do, who have heard of it */
    mpj_wait_step(context, &pause);
  }
  mpj_circle_unblock(context);
}

/* Nothing is joined any more once WORLD has ended. */
static void end_all(struct mpj_context *context)
{
  end_idle(context);
  mpj_closing_begin(context->world, MPJ_OPERATION_FINALIZE);
}

/* Whoever has gone has sent all that it ever will: take it in before nothing more is awaited. */
static void look_for_gone(struct mpj_context *context)
{
  while (mpj_engine_progress(context))
    ;
  for (struct mpj_comm *comm = context->closings; comm; comm = comm->closing->next)
    mpj_closing_settle_gone(comm);
  mpj_closings_look(context);
}

/* What is still to be said once all ranks are here is a few messages; if a rank hears of a failure
 * that another one does not, it may never come. */
static const double patience_s = 5, asking_s = 1;

static void ask_all(struct mpj_context *context)
{
  for (struct mpj_comm *comm = context->closings; comm; comm = comm->closing->next)
    mpj_closing_ask(comm);
}

/* How long to sleep in a turn. Where ranks share cores, those that have not come yet need them, and
 * what comes from a neighbour, or a death, wakes a rank: all else that is waited for is found when
 * the sleep ends by itself, which is the more seldom the more there are. */
static long doze_us(const struct mpj_context *context)
{
  enum { RANK_US = 8000, MOST_US = 1000000 };
  const long sleep_us = (long)RANK_US * context->size;
  if (!context->net || !context->world->facts.oversubscribed ||
      context->world->closing->verdict != MPJ_ENDING_SUMMARY)
    return 0;
  return sleep_us < MOST_US ? sleep_us : MOST_US;
}

/* Until all are settled. The count of changes is read before the look. */
static void wait_for_all(struct mpj_context *context)
{
  const struct mpj_closing *world = context->world->closing;
  struct mpj_pause pause = {0};
  uint32_t seen = 0;
  double since = 0, asked = MPJ_Wtime();
  while (context->closings) {
    const double now = MPJ_Wtime();
    if (since == 0 && world->verdict != MPJ_ENDING_SUMMARY) since = now;
    if (since != 0 && now - since > patience_s) break;
    if (now - asked > asking_s) {
      asked = now;
      ask_all(context);
    }
    const uint32_t changes = mpj_net_changes(context->net);
    if (changes != seen) {
      seen = changes;
      look_for_gone(context);
    }
    pause.doze_us = doze_us(context);
    mpj_wait_step(context, &pause);
  }
}

/* Ranks that share memory may all have ended WORLD before what they sent has been taken in. MOST:
 * against a peer that sends on and on. */
static void take_in_last(struct mpj_context *context)
{
  enum { MOST = 1 << 16 };
  for (int polls = 0; context->net && polls < MOST && mpj_net_poll(context->net); polls++)
    ;
}

int mpj_context_leave(struct mpj_context *context, bool in_finalize)
{
  mpj_context_be_alone(context);
  settle(context, in_finalize);
  mpj_context_quieten(context);
  end_all(context);
  wait_for_all(context);
  take_in_last(context);
  const int status = context->ended_status;
  mpj_context_finalize(context, MPJ_RANK_FINALIZED, 0);
  if (status == MPJ_SUCCESS) return MPJ_SUCCESS;
  mpj_error(status, "%s", mpj_error_stored(context->ended_why));
  mpj_error_forget(&context->ended_why); /* a process's context stays */
  return status;
}
