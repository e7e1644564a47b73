/* This file runs the steps that tell other ranks something: signals, meetings, and data sent
 * within a message or advertised. */
#include <string.h>

#include "base/status.h"
#include "coll/comm/closing.h"
#include "coll/steps/steps.h"
#include "coll/run/tally.h"

/* Signal */

bool mpj_window_is_open(struct mpj_comm *comm, uint64_t sequence, int peer)
{
  if (sequence < comm->known_done[peer] + mpj_comm_slots(comm)) return true;
  comm->known_done[peer] = mpj_comm_done_at(comm, peer);
  return sequence < comm->known_done[peer] + mpj_comm_slots(comm);
}

bool mpj_member_has_joined(struct mpj_comm *comm, int rank)
{
  const uint64_t taken = comm->serial << MPJ_SERIAL_SHIFT;
  if (rank == comm->rank) return true;
  if (comm->known_done[rank] < taken) comm->known_done[rank] = mpj_comm_done_at(comm, rank);
  return comm->known_done[rank] >= taken;
}

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

/* Meet */

/* What a rank adds to the count: its low bits are 1, the others a hash of what it has called. */
static uint64_t meeting_term(const struct mpj_schedule *s, uint64_t sequence)
{
  uint64_t name = 0;
  memcpy(&name, &s->called, sizeof s->called);
  uint64_t hash = (name * UINT64_C(0x9e3779b97f4a7c15) + sequence) * UINT64_C(0xbf58476d1ce4e5b9);
  hash ^= hash >> 29;
  return hash << MPJ_MEET_BITS | 1;
}

/* A slot's word goes on from one meeting to the next, and no rank comes to the next one before it
 * has seen that all are at this one; so the first `size` terms are this meeting's. Who comes last
 * reads the word when it has these terms and no others: at least this rank sees it if one of them
 * is not like its own. */
enum mpj_meeting mpj_meet(struct mpj_comm *comm, const struct mpj_schedule *schedule,
                          uint64_t sequence, int home, bool *counted)
{
  const unsigned slot = mpj_slot_number(comm, sequence);
  if (!*counted && !mpj_member_has_joined(comm, home)) return MPJ_MEETING_WAITS;
  const uint64_t term = *counted ? 0 : meeting_term(schedule, sequence);
  if (term != 0) comm->met[slot] += (uint64_t)comm->size * term;
  *counted = true;
  const uint64_t all = comm->met[slot];
  const uint64_t word = mpj_control_meet(comm->windows, mpj_comm_world(comm, home),
                                         mpj_comm_control_at(comm, home), slot, term, all);
  const int beyond = mpj_meet_beyond(word, all);
  if (beyond < 0) return MPJ_MEETING_WAITS;
  if (beyond == 0 && word != all) return MPJ_MEETING_DISAGREES;
  *counted = false;
  return MPJ_MEETING_OVER;
}

int mpj_step_run_meet(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step)
{
  const enum mpj_meeting meeting =
      mpj_meet(comm, slot->schedule, slot->sequence, step->peer, &slot->counted);
  slot->disagrees |= meeting == MPJ_MEETING_DISAGREES;
  return meeting == MPJ_MEETING_OVER ? MPJ_SUCCESS : MPJ_AM_AGAIN;
}

/* Send */

struct mpj_arrival_message mpj_step_message(const struct mpj_comm *comm,
                                            const struct mpj_schedule *s, uint64_t sequence,
                                            const struct mpj_step *step)
{
  const uint32_t id = step->peer < 0 ? comm->id : mpj_comm_id_at(comm, step->peer); /* of a post */
  return (struct mpj_arrival_message){.comm = id,
                                      .sequence = (uint32_t)sequence,
                                      .operation = s->called.operation,
                                      .algorithm = s->called.algorithm,
                                      .bit = step->bit,
                                      .root = s->called.root,
                                      .radix = s->called.radix,
                                      .segments = s->called.segments};
}

static int send_poison(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step)
{
  struct mpj_arrival_message m = mpj_step_message(comm, slot->schedule, slot->sequence, step);
  m.kind = MPJ_ARRIVAL_POISON;
  m.bytes = comm->rank;
  m.digest = (uint64_t)slot->status;
  return mpj_net_short(comm->net, mpj_comm_world(comm, step->peer), MPJ_AM_COLLECTIVE, &m,
                       MPJ_ARRIVAL_HEADER);
}

int mpj_bound_pack(const struct mpj_bound *bound, void *out, MPJ_Count bytes)
{
  MPJ_Aint start;
  if (mpj_view_dense(&bound->view, &start)) {
    if (bytes > 0)
      memcpy(out, (const char *)((uintptr_t)bound->base + (uintptr_t)start), (size_t)bytes);
    return MPJ_SUCCESS;
  }
  struct mpj_cursor cursor;
  const int status = mpj_cursor_begin(&cursor, &bound->view, bound->base);
  if (status != MPJ_SUCCESS) return status;
  mpj_cursor_pack(&cursor, out, bytes);
  mpj_cursor_end(&cursor);
  return MPJ_SUCCESS;
}

static int send_inline(struct mpj_comm *comm, const struct mpj_step *step,
                       const struct mpj_bound *bound, struct mpj_arrival_message *m)
{
  const int status = mpj_bound_pack(bound, m->data, m->bytes);
  if (status != MPJ_SUCCESS) return status;
  m->kind = MPJ_ARRIVAL_INLINE;
  return mpj_net_short(comm->net, mpj_comm_world(comm, step->peer), MPJ_AM_COLLECTIVE, m,
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
    status = send_inline(comm, step, &bound, &m);
    return noted(comm, slot, MPJ_SENT_INLINE, status);
  }
  if (m.bytes <= comm->net->eager_bytes) {
    status = send_eager(comm, step, &bound, &m, NULL);
    if (status != MPJ_AM_AGAIN) return noted(comm, slot, MPJ_SENT_EAGER, status);
  }
  return noted(comm, slot, MPJ_SENT_LONG, mpj_transfer_advertise(comm, slot, i, &bound, &m));
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
  const bool sound = src.buffer == MPJ_BUFFER_BUNDLE
                         ? mpj_bundle_is_whole(slot, src)
                         : slot->schedule->waits[i] == 0 || src.buffer == MPJ_BUFFER_SEND;
  if (slot->status == MPJ_SUCCESS || sound) {
    status = send_data(comm, slot, i);
    if (status == MPJ_SUCCESS || status == MPJ_AM_AGAIN || status == MPJ_AM_PENDING) return status;
    mpj_operation_note_error(slot, status);
  }
  return send_poison(comm, slot, step);
}
