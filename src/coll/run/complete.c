/* This file waits for an operation: the rest of a blocking call. */
#include "coll/comm/context.h"
#include "coll/failure/circle.h"
#include "coll/failure/failure.h"
#include "coll/run/engine.h"
#include "coll/run/wait_turn.h"
#include "coll/threads/rank_lock_pass.h"

static void wait_for(struct mpj_comm *comm, const struct mpj_slot *slot)
{
  struct mpj_pause pause = {0};
  mpj_circle_block(comm, slot->sequence);
  while (!mpj_engine_is_finished(slot))
    mpj_wait_step(comm->context, &pause);
  mpj_circle_unblock(comm->context);
}

static MPJ_ASIDE int complete_listed(struct mpj_comm *comm, struct mpj_slot *slot)
{
  mpj_engine_advance(comm, slot);
  do { /* what comes while it settles may be for this operation: a stranger, say */
    if (!mpj_engine_is_finished(slot)) wait_for(comm, slot);
    if (comm->net) mpj_rank_lock_settle(comm->context);
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
