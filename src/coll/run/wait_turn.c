/* This file waits, as wait_turn.h has it. */
#include "coll/run/wait_turn.h"

#include "coll/comm/context.h"
#include "coll/failure/circle.h"
#include "coll/failure/failure.h"
#include "coll/run/engine.h"
#include "coll/threads/rank_lock_pass.h"
#include "net/am/am_begin.h"
#include "net/waiting.h"

/* Misses; a sleep is one. Where ranks share cores each may take ms. */
enum { WATCH_EVERY = 32, WATCH_EVERY_CROWDED = 4 };

/* The oldest operation of a communicator is the one that keeps the others waiting. */
void mpj_wait_watch(struct mpj_context *context)
{
  for (struct mpj_comm *comm = context->busy; comm; comm = comm->next)
    if (comm->net && comm->completed < comm->started)
      mpj_watch(comm, mpj_comm_slot(comm, comm->completed));
}

/* Whether ranks that somebody needs have gone. */
static bool look_at_ranks(struct mpj_context *context)
{
  const uint32_t changes = mpj_net_changes(context->net);
  bool looked = changes != 0 && context->am && mpj_am_notice(context->am);
  for (struct mpj_comm *comm = context->busy; comm; comm = comm->next)
    looked |= mpj_engine_look_at_ranks(comm, changes);
  return looked;
}

/* What is here already is taken in before what has come since: an operation that can end does, even
 * where a later one has broken its communicator meanwhile. */
bool mpj_wait_turn(struct mpj_context *context, struct mpj_pause *pause)
{
  bool moved = mpj_engine_advance_all(context);
  moved |= mpj_engine_poll(context);
  if (moved) context->lock.news = true;
  if (moved || (context->net && context->net->copies > 0)) {
    pause->idle = 0;
    return true;
  }
  return !context->net || look_at_ranks(context);
}

static void rest(struct mpj_context *context, struct mpj_pause *pause)
{
  const bool crowded = context->world->facts.oversubscribed;
  if (pause->doze_us != 0)
    mpj_net_doze(context->net, &pause->idle, pause->doze_us);
  else
    mpj_net_idle(context->net, &pause->idle);
  if (pause->idle % (crowded ? WATCH_EVERY_CROWDED : WATCH_EVERY) == 0) mpj_wait_watch(context);
}

void mpj_wait_step(struct mpj_context *context, struct mpj_pause *pause)
{
  if (mpj_wait_turn(context, pause))
    mpj_rank_lock_pass(context);
  else
    rest(context, pause);
}

void mpj_wait_settle(struct mpj_context *context)
{
  if (context) mpj_rank_lock_settle(context);
}

void mpj_wait_for_room(struct mpj_comm *comm)
{
  struct mpj_pause pause = {0};
  while (comm->queued || comm->started >= comm->completed + mpj_comm_slots(comm)) {
    mpj_circle_block_queue(comm); /* the others wait for it */
    mpj_wait_step(comm->context, &pause);
  }
  mpj_circle_unblock(comm->context);
}

/* Give the core to another process, perhaps the one that this rank waits for, as a rank does that
 * waits (net/waiting.h); or sleep, if this test has moved nothing. */
static void give_core(struct mpj_context *context, bool moved)
{
  struct mpj_net *net = context->net;
  if (net->asleep == 0) {
    const bool late = mpj_core_give(&net->core);
    if (context->world->facts.oversubscribed) mpj_net_note_core(net, late);
  } else if (mpj_net_may_sleep(net) && !moved) {
    net->asleep--;
    mpj_net_doze(net, &context->tests_dozed, MPJ_SLICE_US);
  } else {
    mpj_give_core();
  }
}

void mpj_wait_tested(struct mpj_context *context, bool moved)
{
  enum { TESTS = 256 };
  const bool yields = context->net && !context->net->simulated;
  if (context->tests_in_vain++ >= TESTS && yields) give_core(context, moved);
  if (context->tests_in_vain % TESTS == 0) mpj_wait_watch(context);
}

/* So a program that tests until all is done gives the core away again soon. 1,000 Iallreduce of 8
 * bytes, 4 ranks on 2 cores of an Intel Xeon, by Testany took 4.2 to 8.5 times as long as by
 * Waitall where each find made up for all (7 runs of 15), and 1.6 to 1.8 times so (3 runs); 5,000
 * took 2.3 to 2.9 times, and 0.9 to 1.3. */
void mpj_wait_found(struct mpj_context *context)
{
  enum { MAKES_UP_FOR = 16 };
  context->tests_in_vain -=
      context->tests_in_vain < MAKES_UP_FOR ? context->tests_in_vain : MAKES_UP_FOR;
}
