/* This file ends operations that cannot be completed, and tells the others. */
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "coll/check/check.h"
#include "coll/closing/closing.h"
#include "coll/closing/closing_advance.h"
#include "coll/comm/context.h"
#include "coll/failure/difference.h"
#include "coll/failure/difference_report.h"
#include "coll/failure/failure.h"
#include "coll/failure/mismatch.h"
#include "coll/run/comm_records.h"
#include "coll/steps/steps.h"

/* The communicator can no longer be used: its ranks are not in step any more. */
static void break_one(struct mpj_comm *comm, const struct mpj_cause *cause)
{
  mpj_error_drop();
  if (comm->broken.code != 0) return;
  comm->broken = *cause;
  mpj_error_store(&comm->broken_why);
  if (mpj_closing_has_begun(comm)) mpj_closing_look(comm);
}

/* A communicator and its persistent requests break together. */
void mpj_comm_break(struct mpj_comm *comm, const struct mpj_cause *cause)
{
  comm = mpj_comm_user(comm);
  const bool is_other =
      cause->culprit >= 0 && cause->culprit < comm->size && cause->culprit != comm->rank;
  if (cause->code == MPJ_ERR_PEER && is_other)
    comm->context->lost = 1 + mpj_comm_world(comm, cause->culprit);
  break_one(comm, cause);
  for (struct mpj_comm *c = comm->persistent; c; c = c->sibling)
    break_one(c, cause);
}

/* Whether the ranks are no longer in step after an operation ended so. Bits carry no
 * operation number, and counts go on from one operation to the next: after one with signals or
 * meetings ends half-way, stragglers could not be told from what comes next. */
static bool breaks(const struct mpj_slot *slot, int code)
{
  return code == MPJ_ERR_PEER || code == MPJ_ERR_COMM || slot->schedule->await_words > 0 ||
         slot->schedule->meets;
}

/* Whether some ranks may have got all records of an init, and others never will. */
static bool is_half_joined(const struct mpj_comm *comm, const struct mpj_slot *slot, int culprit)
{
  return slot->schedule->operation == MPJ_OPERATION_INIT && culprit == comm->rank;
}

/* In 1/64 s, modulo 2^16. */
static uint16_t clock_64(void)
{
  return (uint16_t)((uint64_t)(MPJ_Wtime() * 64) & UINT16_MAX);
}

/* Who is not connected, or is stopped, may take longer to hear of it; and who waits asks. */
static bool has_had_time(const struct mpj_slot *slot)
{
  enum { TELLING = 32 };
  return (uint16_t)(clock_64() - slot->since) > TELLING;
}

static void abandon(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_cause *cause,
                    bool told)
{
  mpj_operation_note_error(slot, cause->code);
  slot->abandoned = true;
  slot->cause = *cause;
  slot->in_turn = !told && comm->net && !mpj_bits_begin(&slot->told, (unsigned)comm->size);
  slot->untold = told || !comm->net ? 0 : comm->size;
  slot->since = clock_64();
  mpj_comm_is_busy(comm); /* until all have been told */
  if (comm->net) mpj_transfers_abandon(comm, slot);
}

/* The communicator is broken: end what is under way on it. told: the others know of it. */
static void end_all(struct mpj_comm *comm, const struct mpj_cause *cause, bool told)
{
  for (uint64_t n = comm->completed; n < comm->started; n++) {
    struct mpj_slot *slot = mpj_comm_slot(comm, n);
    if (!slot->active || slot->abandoned) continue;
    const bool needs_nobody = mpj_slot_left(slot) == 0 && !slot->disagrees;
    if (!needs_nobody) abandon(comm, slot, cause, told);
  }
}

/* The same with those that have broken with it. */
static void end_related(struct mpj_comm *comm, const struct mpj_cause *cause, bool told)
{
  struct mpj_comm *user = mpj_comm_user(comm);
  end_all(user, cause, told);
  for (struct mpj_comm *c = user->persistent; c; c = c->sibling)
    end_all(c, cause, told);
}

void mpj_operation_abandon(struct mpj_comm *comm, struct mpj_slot *slot,
                           const struct mpj_cause *cause, bool told)
{
  const bool was_broken = comm->broken.code != 0;
  if (breaks(slot, cause->code) || is_half_joined(comm, slot, cause->culprit))
    mpj_comm_break(comm, cause);
  abandon(comm, slot, cause, told);
  if (!was_broken && comm->broken.code != 0) end_related(comm, cause, true);
}

static bool is_gone(struct mpj_comm *comm, int rank)
{
  return mpj_net_peer_state(comm->net, mpj_comm_world(comm, rank), NULL) >= MPJ_RANK_FINALIZED;
}

int mpj_failed_by(struct mpj_comm *comm, int code)
{
  const int died = mpj_comm_user(comm)->died;
  int gone = -1;
  if (code == MPJ_ERR_PEER && died > 0) return died - 1;
  for (int rank = 0; code == MPJ_ERR_PEER && comm->net && rank < comm->size; rank++) {
    const enum mpj_rank_state state =
        mpj_net_peer_state(comm->net, mpj_comm_world(comm, rank), NULL);
    if (state == MPJ_RANK_DEAD) return rank;
    if (state == MPJ_RANK_FINALIZED && gone < 0) gone = rank;
  }
  for (int rank = 0; code == MPJ_ERR_PEER && gone < 0 && rank < comm->size; rank++)
    if (1 + mpj_comm_world(comm, rank) == comm->context->lost) gone = rank;
  return gone < 0 ? comm->rank : gone;
}

/* Of no operation that anybody can be in. */
static const uint32_t FAR_AHEAD = UINT32_C(1) << 30;

/* Tell one rank; false if there is no room now. */
static bool tell(struct mpj_comm *comm, struct mpj_slot *slot, int rank)
{
  if (rank == comm->rank || is_gone(comm, rank)) return true;
  const bool broken = comm->broken.code != 0; /* that can be said to any rank, however far behind */
  const struct mpj_cause *cause = broken ? &comm->broken : &slot->cause;
  const struct mpj_comm *user = mpj_comm_user(comm); /* who has left `comm` must know as well */
  const bool for_user = broken && user != comm;
  if (!broken && !mpj_window_is_open(comm, slot->sequence, mpj_comm_slots(comm), rank))
    return false;
  struct mpj_arrival_message m = {.comm = for_user ? user->id : mpj_comm_id_at(comm, rank),
                                  .sequence = for_user ? (uint32_t)user->completed + FAR_AHEAD
                                                       : (uint32_t)slot->sequence,
                                  .kind = MPJ_ARRIVAL_POISON_OPERATION,
                                  .operation = (unsigned)slot->schedule->operation & 0x1fu,
                                  .bit = broken,
                                  .root = slot->schedule->root};
  const unsigned bytes = mpj_cause_tell(cause, &m);
  if (!broken) mpj_cause_tell_code(&m, slot->status, cause->culprit);
  return mpj_net_short(comm->net, mpj_comm_world(comm, rank), MPJ_AM_COLLECTIVE, &m, bytes) ==
         MPJ_SUCCESS;
}

enum { HOW_BYTES = 80 };

/* Whether a rank is there no more, and how it ended. */
static enum mpj_rank_state how_gone(const struct mpj_comm *comm, int rank, char how[HOW_BYTES])
{
  int cause = 0;
  const enum mpj_rank_state state =
      mpj_net_peer_state(comm->net, mpj_comm_world(comm, rank), &cause);
  if (state == MPJ_RANK_DEAD || (cause & MPJ_CAUSE_NEVER_BEGAN))
    mpj_net_cause_text(cause, how, HOW_BYTES);
  else
    snprintf(how, HOW_BYTES, "has called MPJ_Finalize");
  return state;
}

int mpj_error_elsewhere(struct mpj_comm *comm, const struct mpj_slot *slot,
                        const struct mpj_cause *cause)
{
  const int code = cause->code, culprit = cause->culprit;
  char where[112] = "", how[HOW_BYTES], title[MPJ_TITLE_BYTES], name[104];
  if (mpj_cause_has_difference(cause)) return mpj_cause_error(comm, cause);
  snprintf(name, sizeof name, "the communicator");
  if (slot) {
    snprintf(name, sizeof name, "%s (%s)", mpj_operation_title(comm, slot->sequence, title),
             mpj_slot_name(comm, slot));
    snprintf(where, sizeof where, " in %s", name);
  }
  const bool known = comm->net && culprit >= 0 && culprit < comm->size;
  if (known && culprit == comm->rank)
    return mpj_error(code, "another rank could not go on with what this one, rank %d, sent%s: %s",
                     culprit, where, mpj_error_name(code));
  const enum mpj_rank_state state = known ? how_gone(comm, culprit, how) : MPJ_RANK_ACTIVE;
  if (state == MPJ_RANK_DEAD) return mpj_error(code, "rank %d %s%s", culprit, how, where);
  if (state == MPJ_RANK_FINALIZED && code == MPJ_ERR_PEER)
    return mpj_error(code, "rank %d %s, and %s needs it", culprit, how, name);
  return mpj_error(code, "rank %d failed%s: %s", culprit, where, mpj_error_name(code));
}

void mpj_comm_broken_elsewhere(struct mpj_comm *comm, const struct mpj_cause *cause)
{
  mpj_error_elsewhere(comm, NULL, cause);
  mpj_comm_break(comm, cause);
  end_related(comm, cause, true);
}

void mpj_comm_break_here(struct mpj_comm *comm, int code)
{
  const struct mpj_cause cause = {.code = code, .culprit = comm->rank};
  comm = mpj_comm_user(comm);
  mpj_comm_break(comm, &cause);
  end_related(comm, &cause, false);
  if (comm->completed == comm->started) mpj_operation_fail(comm, comm->completed, &cause);
}

void mpj_operation_poisoned(struct mpj_comm *comm, struct mpj_slot *slot,
                            const struct mpj_cause *cause, bool broken_there)
{
  mpj_error_elsewhere(comm, slot, cause);
  mpj_operation_abandon(comm, slot, cause, broken_there || !breaks(slot, cause->code));
}

void mpj_poison_answer(struct mpj_comm *comm, int rank)
{
  const struct mpj_comm *user = mpj_comm_user(comm);
  if (user->broken.code == 0) return; /* a persistent request's that was not joined: all know it */
  struct mpj_arrival_message m = {.comm = user->id,
                                  .sequence = (uint32_t)user->completed + FAR_AHEAD,
                                  .kind = MPJ_ARRIVAL_POISON_OPERATION,
                                  .bit = true};
  const unsigned bytes = mpj_cause_tell(&user->broken, &m);
  (void)mpj_net_short(comm->net, mpj_comm_member(comm, rank), MPJ_AM_COLLECTIVE, &m, bytes);
}

bool mpj_poison_advance(struct mpj_comm *comm, struct mpj_slot *slot)
{
  bool moved = false;
  if (slot->untold == 0) return false;
  while (slot->in_turn && slot->untold > 0 && tell(comm, slot, comm->size - slot->untold)) {
    slot->untold--;
    moved = true;
  }
  for (int rank = 0; rank < comm->size && !slot->in_turn;
       rank++) { /* nobody waits for one who cannot be told yet */
    if (mpj_bits_test(&slot->told, (unsigned)rank) || !tell(comm, slot, rank)) continue;
    mpj_bits_set(&slot->told, (unsigned)rank);
    slot->untold--;
    moved = true;
  }
  if (slot->untold == 0 || comm->broken.code == 0 || !has_had_time(slot)) return moved;
  slot->untold = 0;
  return true;
}

/* The rank, which still polls, has ended the communicator in place of the slot's operation. */
static void lost_by_end(struct mpj_comm *comm, struct mpj_slot *slot, int rank)
{
  const struct mpj_called end = {.operation = comm->closing->ends[mpj_closing_side(comm, rank)],
                                 .root = -1};
  const struct mpj_cause cause = mpj_cause_of_calls(comm, (uint32_t)slot->sequence, comm->rank,
                                                    mpj_slot_called(comm, slot), rank, end);
  mpj_cause_error(comm, &cause);
  mpj_operation_abandon(comm, slot, &cause, false);
}

/* A rank leaves while others still need it once it has heard that the communicator is broken, or
 * that a member is gone. That comes here as well, along the tree or from who found it, maybe after
 * this rank has seen the other one leave: it says more, and is waited for. */
static bool may_hear_why(const struct mpj_comm *comm, struct mpj_slot *slot, int rank)
{
  enum { COMING = 64 };
  int cause = 0;
  mpj_net_peer_state(comm->net, mpj_comm_world(comm, rank), &cause);
  if (cause & MPJ_CAUSE_NEVER_BEGAN || !comm->closing ||
      comm->closing->verdict != MPJ_ENDING_SUMMARY)
    return false;
  if (slot->lacks != (uint32_t)slot->sequence + 1) slot->since = clock_64();
  slot->lacks = (uint32_t)slot->sequence + 1;
  if ((uint16_t)(clock_64() - slot->since) > COMING) return false;
  slot->look_again = true;
  return true;
}

bool mpj_operation_lost_peer(struct mpj_comm *comm, struct mpj_slot *slot, int rank)
{
  const int died = mpj_comm_user(comm)->died - 1, culprit = died >= 0 ? died : rank;
  char how[HOW_BYTES], first[HOW_BYTES], before[32 + HOW_BYTES] = "";
  const enum mpj_rank_state state = how_gone(comm, rank, how);
  if (state != MPJ_RANK_DEAD && mpj_closing_lacks(comm, rank, slot->sequence)) {
    lost_by_end(comm, slot, rank);
    return true;
  }
  if (state < MPJ_RANK_FINALIZED) return false;
  if (state == MPJ_RANK_FINALIZED && may_hear_why(comm, slot, rank)) return false;
  if (culprit != rank) { /* which may have left because of that one */
    how_gone(comm, culprit, first);
    snprintf(before, sizeof before, ", and rank %d %s", culprit, first);
  }
  mpj_error(MPJ_ERR_PEER, "%s on rank %d needs rank %d, which %s%s", mpj_slot_name(comm, slot),
            comm->rank, rank, how, before);
  const struct mpj_cause gone = {.code = MPJ_ERR_PEER, .culprit = culprit};
  mpj_operation_abandon(comm, slot, &gone, false);
  return true;
}

/* The two ranks' calls may be alike: what came is then no part of the operation. */
void mpj_operation_stranger(struct mpj_comm *comm, struct mpj_slot *slot, int source,
                            const struct mpj_arrival_message *message)
{
  if (slot->abandoned) return;
  char title[MPJ_TITLE_BYTES];
  const struct mpj_called mine = slot->schedule->called;
  struct mpj_cause cause = {.code = MPJ_ERR_COMM, .culprit = source >= 0 ? source : comm->rank};
  mpj_operation_title(comm, slot->sequence, title);
  if (message)
    cause = mpj_cause_of_calls(comm, (uint32_t)slot->sequence, comm->rank, mine, source,
                               mpj_called_by(message));
  const bool said =
      cause.code == MPJ_ERR_SIGNATURE && mpj_step_other_data(comm, slot, source, message);
  if (!said && mpj_cause_has_difference(&cause))
    mpj_cause_error(comm, &cause);
  else if (!said && source >= 0)
    mpj_error(MPJ_ERR_COMM, "%s is %s on rank %d, and rank %d takes part in it in another way",
              title, mpj_slot_name(comm, slot), comm->rank, source);
  else if (!said)
    mpj_error(MPJ_ERR_COMM, "%s is %s on rank %d, and another one elsewhere", title,
              mpj_slot_name(comm, slot), comm->rank);
  mpj_operation_abandon(comm, slot, &cause, false);
}

void mpj_operation_fail(struct mpj_comm *comm, uint64_t sequence, const struct mpj_cause *cause)
{
  struct mpj_slot *slot = mpj_comm_open_slot(comm, sequence, true);
  if (!slot) {
    mpj_comm_broken_elsewhere(comm, cause);
    return;
  }
  if (slot->active) {
    if (!slot->abandoned) mpj_operation_abandon(comm, slot, cause, false);
    return;
  }
  if (slot->poison.code != 0) return;
  slot->poison = *cause;
  slot->poison_heard = false;
  mpj_comm_is_busy(comm);
}
