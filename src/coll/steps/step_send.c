/* This file runs the steps that tell other ranks something: signals, and data sent within a message
 * or aside of one, or advertised. */
#include <string.h>

#include "coll/closing/closing.h"
#include "coll/comm/context.h"
#include "coll/control/signals.h"
#include "coll/run/tally.h"
#include "coll/steps/bundle.h"
#include "coll/steps/ends.h"
#include "coll/steps/parked.h"
#include "coll/steps/steps.h"
#include "coll/steps/verdict.h"

static MPJ_ASIDE bool is_gone(const struct mpj_comm *comm, const struct mpj_slot *slot, int peer)
{
  return mpj_closing_lacks(comm, peer, slot->sequence) ||
         (mpj_net_changes(comm->net) != 0 &&
          mpj_net_peer_state(comm->net, mpj_comm_world(comm, peer), NULL) >= MPJ_RANK_FINALIZED);
}

/* What a signal or send meets first: no room in the peer's window, or no peer. A walk ends when
 * there is news of ranks. */
static inline int reach(struct mpj_comm *comm, struct mpj_slot *slot,
                        const struct mpj_plan_step *step, int peer)
{
  if (slot->listed && is_gone(comm, slot, peer)) {
    slot->look_again = true; /* what it has sent may say why it is gone */
    return MPJ_AM_AGAIN;
  }
  return mpj_window_is_open(comm, slot->sequence, mpj_step_window(comm, step), peer) ? MPJ_SUCCESS
                                                                                     : MPJ_AM_AGAIN;
}

int mpj_step_run_signal(struct mpj_comm *comm, struct mpj_slot *slot,
                        const struct mpj_plan_step *step)
{
  const int peer = mpj_comm_peer(comm, step->peer);
  const int status = reach(comm, slot, step, peer);
  if (status != MPJ_SUCCESS) return status;
  return mpj_control_signal(comm->windows, mpj_comm_world(comm, peer),
                            mpj_comm_control_at(comm, peer), mpj_slot_number(comm, slot->sequence),
                            step->bit);
}

/* In the following, `peer` is the rank that the step names. */

static MPJ_ASIDE int send_poison(struct mpj_comm *comm, struct mpj_slot *slot,
                                 const struct mpj_plan_step *step, int peer)
{
  struct mpj_arrival_message m;
  mpj_step_message(slot, step, mpj_comm_id_at(comm, peer), &m);
  m.kind = MPJ_ARRIVAL_POISON;
  mpj_message_say(&m, comm->rank, m.bit);
  m.digest = (uint64_t)slot->status;
  return mpj_net_short(comm->net, mpj_comm_world(comm, peer), MPJ_AM_COLLECTIVE, &m,
                       MPJ_ARRIVAL_HEADER);
}

/* Who sends by a mark says with it that it has ended all operations before. */
static inline bool can_mark(const struct mpj_comm *comm, const struct mpj_slot *slot,
                            const struct mpj_plan_step *step)
{
  return step->plain && comm->completed == slot->sequence;
}

static inline int send_marked(struct mpj_comm *comm, struct mpj_slot *slot,
                              const struct mpj_plan_step *step, int peer)
{
  return mpj_net_marked(comm->net, mpj_comm_world(comm, peer), MPJ_AM_COLLECTIVE,
                        mpj_step_mark(slot, step, mpj_comm_id_at(comm, peer)),
                        step->bytes > 0 ? mpj_end_address(slot, &step->from) : NULL,
                        (unsigned)step->bytes);
}

static int send_inline(struct mpj_comm *comm, struct mpj_slot *slot,
                       const struct mpj_plan_step *step, int peer)
{
  struct mpj_arrival_message m;
  const int status = mpj_end_pack(comm, slot, &step->from, m.data, step->bytes);
  if (status != MPJ_SUCCESS) return status;
  mpj_step_message(slot, step, mpj_comm_id_at(comm, peer), &m);
  return mpj_net_short(comm->net, mpj_comm_world(comm, peer),
                       step->verdict ? MPJ_AM_WORD : MPJ_AM_COLLECTIVE, &m,
                       MPJ_ARRIVAL_HEADER + (unsigned)step->bytes);
}

static inline int send_eager(struct mpj_comm *comm, struct mpj_slot *slot,
                             const struct mpj_plan_step *step, int peer)
{
  struct mpj_arrival_message m;
  struct mpj_cursor cursor;
  int status = mpj_end_cursor(comm, slot, &step->from, step->bytes, &cursor);
  if (status != MPJ_SUCCESS) return status;
  mpj_step_message(slot, step, mpj_comm_id_at(comm, peer), &m);
  status = mpj_net_eager(comm->net, mpj_comm_world(comm, peer), MPJ_AM_COLLECTIVE, &m,
                         MPJ_ARRIVAL_HEADER, &cursor, step->bytes, NULL, NULL);
  mpj_cursor_end(&cursor);
  return status;
}

/* Note a message that has gone; returns the status of its sending. */
static inline int noted(const struct mpj_comm *comm, const struct mpj_slot *slot, enum mpj_sent way,
                        int status)
{
  const bool gone = status == MPJ_SUCCESS || status == MPJ_AM_PENDING;
  if (slot->noted && gone) mpj_tally_sent(comm, slot->schedule, way);
  return status;
}

/* Put it, or leave it in the FIFO: early-arrival slots, or memory of the library's. */
static int send_by(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_plan_step *step,
                   int peer)
{
  const bool put = mpj_verdict(slot, step->to.number);
  int status = MPJ_AM_AGAIN;
  if (put)
    status = mpj_transfer_advertise(comm, slot, mpj_step_number(slot, step), step, true);
  else if (step->way == MPJ_ARRIVAL_EAGER)
    status = send_eager(comm, slot, step, peer);
  if (!put && status == MPJ_AM_AGAIN) status = mpj_park(comm, slot, step);
  if (status == MPJ_SUCCESS || status == MPJ_AM_PENDING) comm->context->went[put]++;
  return noted(comm, slot, put ? MPJ_SENT_PUT : MPJ_SENT_FIFO, status);
}

static inline int send_data(struct mpj_comm *comm, struct mpj_slot *slot,
                            const struct mpj_plan_step *step, int peer)
{
  const unsigned i = mpj_step_number(slot, step);
  struct mpj_plan_step made;
  int status;
  if (step->from.buffer == MPJ_BUFFER_BUNDLE) {
    made = *step;
    status = mpj_bundle_give(comm, slot, &made);
    if (status != MPJ_SUCCESS) return status;
    step = &made;
  }
  if (step->way == MPJ_ARRIVAL_INLINE)
    return noted(comm, slot, MPJ_SENT_INLINE, send_inline(comm, slot, step, peer));
  if (step->to.buffer != MPJ_BUFFER_NONE) return send_by(comm, slot, step, peer);
  if (step->way == MPJ_ARRIVAL_EAGER) {
    status = send_eager(comm, slot, step, peer);
    if (status != MPJ_AM_AGAIN) return noted(comm, slot, MPJ_SENT_EAGER, status);
  }
  return noted(comm, slot, MPJ_SENT_LONG, mpj_transfer_advertise(comm, slot, i, step, false));
}

static bool is_sound(const struct mpj_slot *slot, const struct mpj_plan_step *step)
{
  if (step->from.buffer == MPJ_BUFFER_BUNDLE) return mpj_bundle_is_whole(slot, &step->from);
  return slot->schedule->waits[mpj_step_number(slot, step)] == 0 ||
         step->from.buffer == MPJ_BUFFER_SEND || step->verdict;
}

/* After an error, what depends on earlier steps is not sent; the rest is the
 * caller's own data, whatever else has failed. Data that cannot be sent at all,
 * for lack of memory, is replaced by the news of that: the peer waits for it. */
static MPJ_ASIDE int send_otherwise(struct mpj_comm *comm, struct mpj_slot *slot,
                                    const struct mpj_plan_step *step, int peer)
{
  if (slot->status == MPJ_SUCCESS || is_sound(slot, step)) {
    int status = mpj_end_have(slot, &step->from);
    if (status == MPJ_SUCCESS) status = send_data(comm, slot, step, peer);
    if (status == MPJ_SUCCESS || status == MPJ_AM_AGAIN || status == MPJ_AM_PENDING) return status;
    mpj_operation_note_error(slot, status);
  }
  return send_poison(comm, slot, step, peer);
}

int mpj_step_run_send(struct mpj_comm *comm, struct mpj_slot *slot,
                      const struct mpj_plan_step *step)
{
  const int peer = mpj_comm_peer(comm, step->peer);
  const int status = reach(comm, slot, step, peer);
  if (status != MPJ_SUCCESS) return status;
  if (slot->status == MPJ_SUCCESS && can_mark(comm, slot, step) &&
      mpj_end_is_there(slot, &step->from))
    return noted(comm, slot, MPJ_SENT_INLINE, send_marked(comm, slot, step, peer));
  return send_otherwise(comm, slot, step, peer);
}
