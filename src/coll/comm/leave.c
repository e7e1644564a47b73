/* This file lets a rank leave its job in good order. */
#include "coll/comm/leave.h"

#include <stdio.h>

#include "base/status.h"
#include "coll/comm/closing.h"

/* WORLD is the last: its record tells others that no more will come. */
static void end_all(struct mpj_context *context)
{
  for (unsigned i = MPJ_ALL_CONTROLS; i-- > 0;) {
    struct mpj_comm *comm = context->comms[i];
    const bool never_joined = comm && comm->user && comm->serial == 0;
    if (comm && !never_joined) mpj_closing_begin(comm, MPJ_OPERATION_FINALIZE);
  }
}

/* Whoever has gone has sent all that it ever will: take it in before nothing more is awaited. */
static void look_for_gone(struct mpj_context *context)
{
  while (mpj_engine_progress(context))
    ;
  for (struct mpj_comm *comm = context->closings; comm; comm = comm->closing->next)
    mpj_closing_settle_gone(comm);
  context->closing_news = true;
}

/* What is still to be said once all ranks are here is a few messages; if a rank hears of a failure
 * that another one does not, it may never come. */
static const double patience_s = 5;

/* Whether every other rank has ended WORLD, or is gone. */
static bool all_are_leaving(const struct mpj_context *context)
{
  const struct mpj_closing *world = context->world.closing;
  for (int rank = 0; world && rank < context->world.size; rank++)
    if (rank != context->world.rank && !world->of[rank].heard && !world->of[rank].settled)
      return false;
  return true;
}

/* Until all are settled. The count of changes is read before the look. */
static void wait_for_all(struct mpj_context *context)
{
  struct mpj_pause pause = {0};
  uint32_t seen = 0;
  double since = 0;
  while (context->closings) {
    if (all_are_leaving(context)) {
      const double now = MPJ_Wtime();
      if (since == 0) since = now;
      if (now - since > patience_s) break;
    }
    const uint32_t changes = mpj_net_changes(context->net);
    if (changes != seen) {
      seen = changes;
      look_for_gone(context);
    }
    mpj_engine_step(&pause);
  }
}

int mpj_context_leave(struct mpj_context *context)
{
  char why[sizeof context->ended_why];
  mpj_context_quieten(context, MPJ_RANK_FINALIZED);
  end_all(context);
  wait_for_all(context);
  const int status = context->ended_status;
  snprintf(why, sizeof why, "%s", context->ended_why);
  mpj_context_finalize(context, MPJ_RANK_FINALIZED, 0);
  return status == MPJ_SUCCESS ? MPJ_SUCCESS : mpj_error(status, "%s", why);
}
