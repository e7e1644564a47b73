/* This file notices that ranks which an operation needs have died or left. */
#include "coll/closing/closing.h"
#include "coll/comm/context.h"
#include "coll/failure/failure.h"
#include "coll/run/engine.h"

/* Take in everything that has been sent; whether the operation finished by it. */
static bool drain(struct mpj_comm *comm, struct mpj_slot *slot)
{
  bool moved = true;
  while (moved && !mpj_engine_is_finished(slot)) {
    moved = mpj_net_poll(comm->net);
    moved |= mpj_engine_advance(comm, slot);
  }
  return mpj_engine_is_finished(slot);
}

/* What the operation has to expect of a rank: one that has ended the communicator before is gone.
 */
static enum mpj_rank_state state_for(struct mpj_comm *comm, const struct mpj_slot *slot, int rank)
{
  const enum mpj_rank_state state = mpj_net_peer_state(comm->net, mpj_comm_world(comm, rank), NULL);
  const bool ended = mpj_closing_lacks(comm, rank, slot->sequence);
  return ended && state < MPJ_RANK_FINALIZED ? MPJ_RANK_FINALIZED : state;
}

/* Look at the ranks in this state. The state is read first: what a rank did
 * before it went is then in the rings. */
static void notice_those(struct mpj_comm *comm, struct mpj_slot *slot, enum mpj_rank_state state)
{
  for (int rank = 0; rank < comm->size && !slot->abandoned; rank++) {
    if (state_for(comm, slot, rank) != state) continue;
    if (drain(comm, slot)) return; /* what it did before it went was enough */
    if (!slot->abandoned && mpj_operation_needs(comm, slot, rank))
      mpj_operation_lost_peer(comm, slot, rank);
  }
}

/* The dead first: who left may have left because of them. */
void mpj_notice_failures(struct mpj_comm *comm, struct mpj_slot *slot)
{
  slot->look_again = false;
  notice_those(comm, slot, MPJ_RANK_DEAD);
  if (!mpj_engine_is_finished(slot)) notice_those(comm, slot, MPJ_RANK_FINALIZED);
}
