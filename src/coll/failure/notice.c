/* This file notices that ranks which an operation needs have died or left. */
#include <sys/wait.h>

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

/* Look at the ranks in this state; whether there are any. The state is read first: what a rank did
 * before it went is then in the rings. */
static bool notice_those(struct mpj_comm *comm, struct mpj_slot *slot, enum mpj_rank_state state)
{
  bool any = false;
  for (int rank = 0; rank < comm->size && !slot->abandoned; rank++) {
    if (state_for(comm, slot, rank) != state) continue;
    any = true;
    if (drain(comm, slot)) break; /* what it did before it went was enough */
    if (!slot->abandoned && mpj_operation_needs(comm, slot, rank))
      mpj_operation_lost_peer(comm, slot, rank);
  }
  return any;
}

/* Whether all members are known to be there, of whom none has ended the communicator before this
 * operation: once a rank has gone that is no member, each operation begins with that question. */
static bool all_are_there(const struct mpj_comm *comm, const struct mpj_slot *slot,
                          uint32_t changes)
{
  const struct mpj_closing *closing = comm->closing;
  return comm->all_there == changes && (!closing || slot->sequence < closing->least);
}

/* Which member died first, as far as this rank sees: others leave because of it. Of those that it
 * sees at once that is one that was killed. */
static void note_first_dead(struct mpj_comm *comm)
{
  const int flags = MPJ_CAUSE_RETURNED | MPJ_CAUSE_LOST | MPJ_CAUSE_NEVER_BEGAN;
  struct mpj_comm *user = mpj_comm_user(comm);
  bool was_killed = false;
  for (int rank = 0, known = user->died; known == 0 && rank < user->size && !was_killed; rank++) {
    int cause = 0;
    if (mpj_net_peer_state(user->net, mpj_comm_world(user, rank), &cause) != MPJ_RANK_DEAD)
      continue;
    was_killed = !(cause & flags) && WIFSIGNALED(cause);
    if (user->died == 0 || was_killed) user->died = rank + 1;
  }
}

/* The dead first: who left may have left because of them. The count is read before the states: who
 * goes meanwhile raises it. */
void mpj_notice_failures(struct mpj_comm *comm, struct mpj_slot *slot)
{
  const uint32_t changes = mpj_net_changes(comm->net);
  slot->look_again = false;
  if (all_are_there(comm, slot, changes)) return;
  note_first_dead(comm);
  const bool dead = notice_those(comm, slot, MPJ_RANK_DEAD);
  if (mpj_engine_is_finished(slot) || slot->abandoned) return;
  if (!notice_those(comm, slot, MPJ_RANK_FINALIZED) && !dead) comm->all_there = changes;
}
