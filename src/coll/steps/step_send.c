/* This file runs the steps that tell other ranks something: signals, and data sent within a message
 * or advertised. */

#include "coll/comm/closing.h"
#include "coll/comm/context.h"
#include "coll/plan/binding.h"
#include "coll/run/tally.h"
#include "coll/steps/bundle.h"
#include "coll/steps/parked.h"
#include "coll/steps/steps.h"
#include "coll/steps/verdict.h"

/* Signal */

/* What a signal or send meets first: no room in the peer's window, or no peer. */
static int reach(struct mpj_comm *comm, struct mpj_slot *slot, int peer)
{
  if (mpj_closing_lacks(comm, peer, slot->sequence) ||
      (mpj_net_changes(comm->net) != 0 &&
       mpj_net_peer_state(comm->net, mpj_comm_world(comm, peer), NULL) >= MPJ_RANK_FINALIZED)) {
    slot->look_again = true; /* what it has sent may say why it is gone */
    return MPJ_AM_AGAIN;
  }
  return mpj_window_is_open(comm, slot->sequence, peer) ? MPJ_SUCCESS : MPJ_AM_AGAIN;
}

int mpj_step_run_signal(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step)
{
  const int status = reach(comm, slot, step->peer);
  if (status != MPJ_SUCCESS) return status;
  return mpj_control_signal(comm->windows, mpj_comm_world(comm, step->peer),
                            mpj_comm_control_at(comm, step->peer),
                            mpj_slot_number(comm, slot->sequence), step->bit);
}

/* Send */

static int send_poison(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step)
{
  struct mpj_arrival_message m = mpj_step_message(comm, slot->schedule, slot->sequence, step);
  m.kind = MPJ_ARRIVAL_POISON;
  m.bytes = comm->rank;
  m.digest = (uint64_t)slot->status;
  return mpj_net_short(comm->net, mpj_comm_world(comm, step->peer), MPJ_AM_COLLECTIVE, &m,
                       MPJ_ARRIVAL_HEADER);
}

static int send_inline(struct mpj_comm *comm, const struct mpj_step *step, unsigned handler,
                       const struct mpj_bound *bound, struct mpj_arrival_message *m)
{
  const int status = mpj_bound_pack(bound, m->data, m->bytes);
  if (status != MPJ_SUCCESS) return status;
  m->kind = MPJ_ARRIVAL_INLINE;
  return mpj_net_short(comm->net, mpj_comm_world(comm, step->peer), handler, m,
                       MPJ_ARRIVAL_HEADER + (unsigned)m->bytes);
}

static int send_eager(struct mpj_comm *comm, const struct mpj_step *step,
                      const struct mpj_bound *bound, struct mpj_arrival_message *m,
                      struct mpj_transfer *transfer)
{
  struct mpj_cursor cursor;
  int status = mpj_cursor_begin(&cursor, &bound->view, bound->base);
  if (status != MPJ_SUCCESS) return status;
  m->kind = MPJ_ARRIVAL_EAGER;
  status = mpj_net_eager(comm->net, mpj_comm_world(comm, step->peer), MPJ_AM_COLLECTIVE, m,
                         MPJ_ARRIVAL_HEADER, &cursor, m->bytes, NULL, transfer);
  mpj_cursor_end(&cursor);
  return status;
}

/* Note a message that has gone; returns the status of its sending. */
static int noted(const struct mpj_comm *comm, const struct mpj_slot *slot, enum mpj_sent way,
                 int status)
{
  const bool gone = status == MPJ_SUCCESS || status == MPJ_AM_PENDING;
  if (slot->noted && gone) mpj_tally_sent(comm, slot->schedule, way);
  return status;
}

/* Put it, or leave it in the FIFO: early-arrival slots, or memory of the library's. */
static int send_by(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i, struct mpj_bound *bound,
                   struct mpj_arrival_message *m)
{
  const struct mpj_step *step = &slot->schedule->steps[i];
  const bool put = mpj_verdict(slot, mpj_step_dst(slot->schedule, step));
  int status = MPJ_AM_AGAIN;
  if (put)
    status = mpj_transfer_advertise(comm, slot, i, bound, m, true);
  else if (m->bytes <= comm->net->eager_bytes)
    status = send_eager(comm, step, bound, m, NULL);
  if (!put && status == MPJ_AM_AGAIN) status = mpj_park(comm, step->peer, bound, m);
  if (status == MPJ_SUCCESS || status == MPJ_AM_PENDING) comm->context->went[put]++;
  return noted(comm, slot, put ? MPJ_SENT_PUT : MPJ_SENT_FIFO, status);
}

static int send_data(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i)
{
  const struct mpj_step *step = &slot->schedule->steps[i];
  struct mpj_bound bound = {0};
  struct mpj_signature signature;
  const struct mpj_operand src = mpj_step_src(slot->schedule, step);
  int status = src.buffer == MPJ_BUFFER_BUNDLE
                   ? mpj_bind_bundle(comm, slot, src, &bound, &signature)
                   : mpj_bind_operand(comm, slot, src, &bound, &signature);
  if (status != MPJ_SUCCESS) return status;
  struct mpj_arrival_message m = mpj_step_message(comm, slot->schedule, slot->sequence, step);
  bound.view = mpj_bound_view(comm, &bound);
  m.bytes = signature.bytes;
  m.digest = mpj_signature_digest(&signature);
  if (m.bytes <= MPJ_INLINE_MAX) {
    status = send_inline(comm, step,
                         src.buffer == MPJ_BUFFER_VERDICT ? MPJ_AM_WORD : MPJ_AM_COLLECTIVE, &bound,
                         &m);
    return noted(comm, slot, MPJ_SENT_INLINE, status);
  }
  if (step->dst != 0) return send_by(comm, slot, i, &bound, &m);
  if (m.bytes <= comm->net->eager_bytes) {
    status = send_eager(comm, step, &bound, &m, NULL);
    if (status != MPJ_AM_AGAIN) return noted(comm, slot, MPJ_SENT_EAGER, status);
  }
  return noted(comm, slot, MPJ_SENT_LONG, mpj_transfer_advertise(comm, slot, i, &bound, &m, false));
}

/* After an error, what depends on earlier steps is not sent; the rest is the
 * caller's own data, whatever else has failed. Data that cannot be sent at all,
 * for lack of memory, is replaced by the news of that: the peer waits for it. */
int mpj_step_run_send(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i)
{
  const struct mpj_step *step = &slot->schedule->steps[i];
  if (step->posted && slot->posted) return MPJ_SUCCESS;
  int status = reach(comm, slot, step->peer);
  if (status != MPJ_SUCCESS) return status;
  const struct mpj_operand src = mpj_step_src(slot->schedule, step);
  const bool sound = src.buffer == MPJ_BUFFER_BUNDLE ? mpj_bundle_is_whole(slot, src)
                     : src.buffer == MPJ_BUFFER_VERDICT
                         ? true
                         : slot->schedule->waits[i] == 0 || src.buffer == MPJ_BUFFER_SEND;
  if (slot->status == MPJ_SUCCESS || sound) {
    status = send_data(comm, slot, i);
    if (status == MPJ_SUCCESS || status == MPJ_AM_AGAIN || status == MPJ_AM_PENDING) return status;
    mpj_operation_note_error(slot, status);
  }
  return send_poison(comm, slot, step);
}
