/* This file waits for an operation: the rest of a blocking call. */
#include "coll/comm/context.h"
#include "coll/failure/circle.h"
#include "coll/failure/failure.h"
#include "coll/run/engine.h"
#include "coll/threads/gate_pass.h"

/* What has moved may be what another thread of the rank waits for. */
static void share_news(struct mpj_context *context)
{
  context->gate.news = true;
  mpj_gate_pass(context);
}

static void wait_for(struct mpj_comm *comm, struct mpj_slot *slot)
{
  unsigned idle = 0;
  uint32_t changes = 0;
  mpj_circle_block(comm, slot->sequence);
  while (!mpj_engine_is_finished(slot)) {
    if ((mpj_engine_advance(comm, slot) && comm->net->copies == 0) ||
        (mpj_engine_has_others(comm) && mpj_engine_advance_others(comm->context, slot)) ||
        mpj_net_poll(comm->net) || comm->net->copies > 0) {
      idle = 0;
      if (comm->context->gate.closed) share_news(comm->context);
      continue;
    }
    if (mpj_net_changes(comm->net) != changes || slot->look_again) {
      changes = mpj_net_changes(comm->net);
      mpj_notice_failures(comm, slot);
      if (!slot->look_again) continue; /* else it waits to hear why somebody has left */
    }
    mpj_engine_pause(comm->context, &idle);
  }
  mpj_circle_unblock(comm->context);
}

static MPJ_ASIDE int complete_listed(struct mpj_comm *comm, struct mpj_slot *slot)
{
  mpj_engine_advance(comm, slot);
  do { /* what comes while it settles may be for this operation: a stranger, say */
    if (!mpj_engine_is_finished(slot)) wait_for(comm, slot);
    if (comm->net) mpj_gate_settle(comm->context);
  } while (!mpj_engine_is_over(comm, slot));
  return mpj_comm_reported(comm, mpj_engine_finish(comm, slot));
}

/* Where ranks look into each other's memory a walk leaves nothing that has still to be sent.
 * The walk and its end take a fifth fewer instructions as one function. */
MPJ_FLAT int mpj_engine_complete(struct mpj_comm *comm, struct mpj_slot *slot)
{
  if (!slot->listed && mpj_engine_walk(comm, slot, true) &&
      (!comm->net || mpj_net_can_take(comm->net)))
    return mpj_comm_reported(comm, mpj_engine_finish(comm, slot));
  return complete_listed(comm, slot);
}
