/* This file ends operations that cannot be completed, and tells the others. */
#include <stdio.h>

#include "base/status.h"
#include "coll/context.h"

/* The communicator can no longer be used: its ranks are not in step any more. */
static void break_comm(struct mpj_comm *comm, int code, int culprit)
{
  if (comm->broken_code != 0) return;
  comm->broken_code = code;
  comm->broken_rank = culprit;
  snprintf(comm->broken_why, sizeof comm->broken_why, "%s", MPJ_Error_detail());
}

int mpj_comm_renounce(struct mpj_comm *comm)
{
  mpj_error(MPJ_ERR_COMM, "rank %d could not make the communicator", comm->rank);
  break_comm(comm, MPJ_ERR_COMM, comm->rank);
  return mpj_engine_complete(comm, mpj_engine_start_failed(comm, MPJ_ERR_COMM));
}

void mpj_operation_note_error(struct mpj_slot *slot, int code)
{
  if (slot->status != MPJ_SUCCESS) return;
  slot->status = code;
  snprintf(slot->why, sizeof slot->why, "%s", MPJ_Error_detail());
}

/* Whether the ranks are no longer in step after an operation ended so. Bits and
 * counts carry no operation number: after one with signals or meetings ends
 * half-way, stragglers could not be told from what comes next. */
static bool breaks(const struct mpj_slot *slot, int code)
{
  return code == MPJ_ERR_PEER || code == MPJ_ERR_COMM || slot->schedule->await_words > 0 ||
         slot->schedule->meets;
}

void mpj_operation_abandon(struct mpj_comm *comm, struct mpj_slot *slot, int code, int culprit,
                           bool told)
{
  mpj_operation_note_error(slot, code);
  slot->abandoned = true;
  slot->culprit = culprit;
  slot->told = (struct mpj_bits){{0}};
  slot->untold = told || !comm->net ? 0 : comm->size;
  if (breaks(slot, code)) break_comm(comm, code, culprit);
  if (comm->net) mpj_transfers_abandon(comm, slot);
}

static bool is_gone(struct mpj_comm *comm, int rank)
{
  return mpj_net_peer_state(comm->net, mpj_comm_world(comm, rank), NULL) >= MPJ_RANK_FINALIZED;
}

/* Tell one rank; false if there is no room now. */
static bool tell(struct mpj_comm *comm, struct mpj_slot *slot, int rank)
{
  if (rank == comm->rank || is_gone(comm, rank)) return true;
  const bool broken = comm->broken_code != 0; /* that can be said to any rank, however far behind */
  comm->known_done[rank] = mpj_net_done(comm->net, mpj_comm_world(comm, rank), comm->control);
  if (!broken && slot->sequence >= comm->known_done[rank] + MPJ_WINDOW) return false;
  const struct mpj_arrival_message m = {.comm = comm->id,
                                        .sequence = (uint32_t)slot->sequence,
                                        .kind = MPJ_ARRIVAL_POISON_OPERATION,
                                        .operation = (uint8_t)slot->schedule->operation,
                                        .bit = broken,
                                        .root = (int16_t)slot->schedule->root,
                                        .bytes = broken ? comm->broken_rank : slot->culprit,
                                        .digest =
                                            (uint64_t)(broken ? comm->broken_code : slot->status)};
  return mpj_net_short(comm->net, mpj_comm_world(comm, rank), MPJ_AM_COLLECTIVE, &m,
                       MPJ_ARRIVAL_HEADER) == MPJ_SUCCESS;
}

int mpj_error_elsewhere(struct mpj_comm *comm, const struct mpj_slot *slot, int code, int culprit)
{
  char where[64] = "", how[80];
  int cause;
  if (slot)
    snprintf(where, sizeof where, " in operation %llu (%s)",
             (unsigned long long)mpj_operation_number(comm, slot->sequence),
             mpj_slot_name(comm, slot));
  const bool known = comm->net && culprit >= 0 && culprit < comm->size;
  if (!known ||
      mpj_net_peer_state(comm->net, mpj_comm_world(comm, culprit), &cause) != MPJ_RANK_DEAD)
    return mpj_error(code, "rank %d failed%s: %s", culprit, where, mpj_error_name(code));
  mpj_net_cause_text(cause, how, sizeof how);
  return mpj_error(code, "rank %d %s%s", culprit, how, where);
}

void mpj_comm_broken_elsewhere(struct mpj_comm *comm, int code, int culprit)
{
  mpj_error_elsewhere(comm, NULL, code, culprit);
  break_comm(comm, code, culprit);
  for (uint64_t n = comm->completed; n < comm->started; n++) {
    struct mpj_slot *slot = &comm->slots[n % MPJ_WINDOW];
    const bool complete = !slot->abandoned && slot->left == 0; /* it needs nobody any more */
    if (!slot->active || complete) continue;
    if (slot->abandoned)
      slot->untold = 0; /* all have been told what matters more */
    else
      mpj_operation_abandon(comm, slot, code, culprit, true);
  }
}

void mpj_operation_poisoned(struct mpj_comm *comm, struct mpj_slot *slot, int code, int culprit,
                            bool broken_there)
{
  mpj_error_elsewhere(comm, slot, code, culprit);
  mpj_operation_abandon(comm, slot, code, culprit, broken_there || !breaks(slot, code));
}

bool mpj_poison_advance(struct mpj_comm *comm, struct mpj_slot *slot)
{
  bool moved = false;
  if (slot->untold == 0) return false;
  for (int rank = 0; rank < comm->size; rank++) { /* nobody waits for one who cannot be told yet */
    if (mpj_bits_test(&slot->told, (unsigned)rank) || !tell(comm, slot, rank)) continue;
    mpj_bits_set(&slot->told, (unsigned)rank);
    slot->untold--;
    moved = true;
  }
  return moved;
}

bool mpj_step_needs_peer(const struct mpj_slot *slot, unsigned i)
{
  const struct mpj_schedule *s = slot->schedule;
  if (s->steps[i].kind != MPJ_STEP_RECV_EITHER) return true;
  for (unsigned k = 0; k < s->nsteps; k++)
    if (s->steps[k].kind == MPJ_STEP_DELIVER && !slot->complete[k]) return false;
  return true;
}

/* Whether a step that is not complete needs something that `rank` has not done. */
static bool still_needs(const struct mpj_slot *slot, int rank)
{
  const struct mpj_schedule *s = slot->schedule;
  for (unsigned i = 0; i < s->nsteps; i++) {
    const struct mpj_step *step = &s->steps[i];
    if (slot->complete[i]) continue;
    if (step->kind == MPJ_STEP_MEET) return true;
    if (step->peer != rank || !mpj_step_needs_peer(slot, i)) continue;
    const bool arrives = mpj_step_kind_receives(step->kind) || step->kind == MPJ_STEP_AWAIT;
    if (!arrives || !mpj_bits_test(&slot->seen, step->bit)) return true;
  }
  return false;
}

bool mpj_operation_lost_peer(struct mpj_comm *comm, struct mpj_slot *slot, int rank)
{
  int cause;
  char how[80] = "has called MPJ_Finalize";
  const enum mpj_rank_state state =
      mpj_net_peer_state(comm->net, mpj_comm_world(comm, rank), &cause);
  if (state < MPJ_RANK_FINALIZED) return false;
  if (state == MPJ_RANK_DEAD) mpj_net_cause_text(cause, how, sizeof how);
  mpj_error(MPJ_ERR_PEER, "%s on rank %d needs rank %d, which %s", mpj_slot_name(comm, slot),
            comm->rank, rank, how);
  mpj_operation_abandon(comm, slot, MPJ_ERR_PEER, rank, false);
  return true;
}

/* Take in everything that has been sent; whether the operation finished by it. */
static bool drain(struct mpj_comm *comm, struct mpj_slot *slot)
{
  bool moved = true;
  while (moved && !mpj_engine_is_finished(comm, slot)) {
    moved = mpj_net_poll(comm->net);
    moved |= mpj_engine_advance(comm, slot);
  }
  return mpj_engine_is_finished(comm, slot);
}

/* Look at the ranks in this state. The state is read first: what a rank did
 * before it went is then in the rings. */
static void notice_those(struct mpj_comm *comm, struct mpj_slot *slot, enum mpj_rank_state state)
{
  for (int rank = 0; rank < comm->size && !slot->abandoned; rank++) {
    if (mpj_net_peer_state(comm->net, mpj_comm_world(comm, rank), NULL) != state) continue;
    if (drain(comm, slot)) return; /* what it did before it went was enough */
    if (!slot->abandoned && still_needs(slot, rank)) mpj_operation_lost_peer(comm, slot, rank);
  }
}

/* The dead first: who left may have left because of them. */
void mpj_notice_failures(struct mpj_comm *comm, struct mpj_slot *slot)
{
  slot->look_again = false;
  notice_those(comm, slot, MPJ_RANK_DEAD);
  if (!mpj_engine_is_finished(comm, slot)) notice_those(comm, slot, MPJ_RANK_FINALIZED);
}

struct mpj_plan mpj_plan_of(const struct mpj_schedule *schedule)
{
  return (struct mpj_plan){schedule->operation, schedule->algorithm, schedule->variant,
                           schedule->root};
}

bool mpj_arrival_is_of_other_data(const struct mpj_plan *plan,
                                  const struct mpj_arrival_message *message)
{
  const bool same = message->algorithm == plan->algorithm &&
                    message->radix == mpj_variant_radix(plan->variant) &&
                    message->segments == mpj_variant_segments(plan->variant);
  return mpj_operation_goes_by_size(plan->operation) && message->operation == plan->operation &&
         message->root == plan->root && !same;
}

void mpj_operation_stranger(struct mpj_comm *comm, struct mpj_slot *slot, int source,
                            const struct mpj_arrival_message *message)
{
  if (slot->abandoned) return;
  const struct mpj_schedule *s = slot->schedule;
  const struct mpj_plan plan = mpj_plan_of(s);
  if (message && mpj_arrival_is_of_other_data(&plan, message)) {
    mpj_error(MPJ_ERR_SIGNATURE,
              "%s: rank %d sent data for algorithm %u, rank %d runs algorithm %u: their signatures "
              "differ",
              mpj_operation_name(s->operation), source, message->algorithm, comm->rank,
              s->algorithm);
    mpj_operation_abandon(comm, slot, MPJ_ERR_SIGNATURE, source, false);
    return;
  }
  if (message)
    mpj_error(
        MPJ_ERR_COMM,
        "operation %llu is %s (root %d, algorithm %u) on rank %d, but %s (root %d, algorithm %u) "
        "on rank %d",
        (unsigned long long)mpj_operation_number(comm, slot->sequence),
        mpj_operation_name(s->operation), s->root, s->algorithm, comm->rank,
        mpj_operation_name(message->operation), message->root, message->algorithm, source);
  else
    mpj_error(MPJ_ERR_COMM, "operation %llu is %s on rank %d, and another one elsewhere",
              (unsigned long long)mpj_operation_number(comm, slot->sequence),
              mpj_operation_name(s->operation), comm->rank);
  mpj_operation_abandon(comm, slot, MPJ_ERR_COMM, source >= 0 ? source : comm->rank, false);
}
