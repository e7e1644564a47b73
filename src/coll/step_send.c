/* This file runs the steps that tell other ranks something: signals, meetings, and data sent
 * within a message or advertised. */
#include <string.h>

#include "base/status.h"
#include "coll/comm.h"
#include "coll/steps.h"

/* Signal */

bool mpj_window_is_open(struct mpj_comm *comm, uint64_t sequence, int peer)
{
  if (sequence < comm->known_done[peer] + MPJ_WINDOW) return true;
  comm->known_done[peer] = mpj_net_done(comm->net, mpj_comm_world(comm, peer), comm->control);
  return sequence < comm->known_done[peer] + MPJ_WINDOW;
}

/* What a signal or send meets first: no room in the peer's window, or no peer. */
static int reach(struct mpj_comm *comm, struct mpj_slot *slot, int peer)
{
  if (mpj_net_changes(comm->net) != 0 &&
      mpj_net_peer_state(comm->net, mpj_comm_world(comm, peer), NULL) >= MPJ_RANK_FINALIZED) {
    slot->look_again = true; /* what it has sent may say why it is gone */
    return MPJ_AM_AGAIN;
  }
  return mpj_window_is_open(comm, slot->sequence, peer) ? MPJ_SUCCESS : MPJ_AM_AGAIN;
}

bool mpj_operand_is_dense(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_operand operand)
{
  struct mpj_bound bound = {0};
  MPJ_Aint start;
  if (operand.buffer == MPJ_BUFFER_NONE) return true;
  if (mpj_bind_operand(comm, slot, operand, &bound, NULL) != MPJ_SUCCESS) return false;
  return bound.in_place || mpj_view_dense(&bound.view, &start);
}

int mpj_step_run_signal(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step)
{
  const int status = reach(comm, slot, step->peer);
  if (status != MPJ_SUCCESS) return status;
  return mpj_net_signal(comm->net, mpj_comm_world(comm, step->peer), comm->control,
                        (unsigned)(slot->sequence % MPJ_WINDOW), step->bit,
                        !mpj_operand_is_dense(comm, slot, mpj_step_src(slot->schedule, step)));
}

/* Meet */

/* Count in when first run; then look until all have. Meetings are numbered by
 * the order of operations, so one count serves them all. */
int mpj_step_run_meet(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step)
{
  const int home = mpj_comm_world(comm, step->peer);
  uint64_t now;
  if (slot->meeting == 0) {
    slot->meeting = ++comm->meetings * (uint64_t)comm->size;
    now = mpj_net_meet(comm->net, home, comm->control, slot->meeting);
  } else {
    now = mpj_net_meet(comm->net, home, comm->control, 0);
  }
  if (now < slot->meeting) return MPJ_AM_AGAIN;
  slot->meeting = 0;
  return MPJ_SUCCESS;
}

/* Send */

struct mpj_arrival_message mpj_step_message(const struct mpj_comm *comm,
                                            const struct mpj_schedule *s, uint64_t sequence,
                                            const struct mpj_step *step)
{
  return (struct mpj_arrival_message){.comm = comm->id,
                                      .sequence = (uint32_t)sequence,
                                      .operation = (uint8_t)s->operation,
                                      .algorithm = (uint8_t)s->algorithm,
                                      .bit = step->bit,
                                      .root = (int16_t)s->root,
                                      .radix = (uint8_t)mpj_variant_radix(s->variant),
                                      .segments = (uint8_t)mpj_variant_segments(s->variant)};
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
  if (m.bytes <= MPJ_INLINE_MAX) return send_inline(comm, step, &bound, &m);
  if (m.bytes <= comm->net->eager_bytes) {
    status = send_eager(comm, step, &bound, &m, NULL);
    if (status != MPJ_AM_AGAIN) return status;
  }
  return mpj_transfer_advertise(comm, slot, i, &bound, &m);
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
