/* This file runs the steps of a schedule, one function a kind. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "coll/comm.h"
#include "coll/op.h"

bool mpj_window_is_open(struct mpj_comm *comm, const struct mpj_slot *slot, int peer)
{
  if (slot->sequence < comm->known_done[peer] + MPJ_WINDOW) return true;
  comm->known_done[peer] = mpj_net_done(comm->net, mpj_comm_world(comm, peer), comm->control);
  return slot->sequence < comm->known_done[peer] + MPJ_WINDOW;
}

void mpj_step_complete(struct mpj_slot *slot, uint16_t i)
{
  const struct mpj_schedule *s = slot->schedule;
  const struct mpj_step *step = &s->steps[i];
  slot->complete[i] = 1;
  slot->left--;
  for (unsigned k = 0; k < step->nnext; k++) {
    const uint16_t next = s->next[step->first_next + k];
    if (--slot->waits[next] == 0) slot->ready[slot->nready++] = next;
  }
}

/* Signal */

/* What a signal or send meets first: no room in the peer's window, or no peer. */
static int reach(struct mpj_comm *comm, struct mpj_slot *slot, int peer)
{
  if (mpj_net_changes(comm->net) != 0 &&
      mpj_net_peer_state(comm->net, mpj_comm_world(comm, peer), NULL) >= MPJ_RANK_FINALIZED) {
    slot->look_again = true; /* what it has sent may say why it is gone */
    return MPJ_AM_AGAIN;
  }
  return mpj_window_is_open(comm, slot, peer) ? MPJ_SUCCESS : MPJ_AM_AGAIN;
}

static bool is_dense(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_operand operand)
{
  struct mpj_bound bound = {0};
  MPJ_Aint start;
  if (operand.buffer == MPJ_BUFFER_NONE) return true;
  if (mpj_bind_operand(comm, slot, operand, &bound, NULL) != MPJ_SUCCESS) return false;
  return bound.in_place || mpj_view_dense(&bound.view, &start);
}

static int run_signal(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step)
{
  const int status = reach(comm, slot, step->peer);
  if (status != MPJ_SUCCESS) return status;
  return mpj_net_signal(comm->net, mpj_comm_world(comm, step->peer), comm->control,
                        (unsigned)(slot->sequence % MPJ_WINDOW), step->bit,
                        !is_dense(comm, slot, mpj_step_src(slot->schedule, step)));
}

/* Meet */

/* Count in when first run; then look until all have. Meetings are numbered by
 * the order of operations, so one count serves them all. */
static int run_meet(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step)
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
                                            const struct mpj_slot *slot,
                                            const struct mpj_step *step)
{
  return (struct mpj_arrival_message){.comm = comm->id,
                                      .sequence = (uint32_t)slot->sequence,
                                      .operation = (uint8_t)slot->schedule->operation,
                                      .algorithm = (uint8_t)slot->schedule->algorithm,
                                      .bit = step->bit,
                                      .root = (int16_t)slot->schedule->root,
                                      .radix = (uint8_t)mpj_variant_radix(slot->schedule->variant),
                                      .segments =
                                          (uint8_t)mpj_variant_segments(slot->schedule->variant)};
}

static int send_poison(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step)
{
  struct mpj_arrival_message m = mpj_step_message(comm, slot, step);
  m.kind = MPJ_ARRIVAL_POISON;
  m.bytes = comm->rank;
  m.digest = (uint64_t)slot->status;
  return mpj_net_short(comm->net, mpj_comm_world(comm, step->peer), MPJ_AM_COLLECTIVE, &m,
                       MPJ_ARRIVAL_HEADER);
}

/* Pack `bytes` bytes of the bound view to memory. */
static int pack_small(const struct mpj_bound *bound, void *out, MPJ_Count bytes)
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
  const int status = pack_small(bound, m->data, m->bytes);
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

static struct mpj_transfer *new_transfer(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i)
{
  struct mpj_transfer *t = mpj_comm_new_transfer(comm);
  if (!t) return NULL;
  t->comm = comm;
  t->slot = slot;
  t->step = i;
  t->next = slot->transfers;
  slot->transfers = t;
  return t;
}

static void end_transfer(struct mpj_transfer *t)
{
  struct mpj_transfer **link = &t->slot->transfers;
  while (*link != t)
    link = &(*link)->next;
  *link = t->next;
  if (t->has_cursor) mpj_cursor_end(&t->cursor);
  mpj_comm_drop_transfer(t->comm, t);
}

static void on_sent(void *arg, int status)
{
  struct mpj_transfer *t = arg;
  struct mpj_slot *slot = t->slot;
  const uint16_t i = t->step;
  if (status != MPJ_SUCCESS) mpj_operation_note_error(slot, status);
  end_transfer(t);
  mpj_step_complete(slot, i);
}

static int no_memory_for_transfer(const struct mpj_slot *slot)
{
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for a transfer of %s",
                   mpj_operation_name(slot->schedule->operation));
}

/* Leave the data where it is and tell the peer, who pulls when it gets there. */
static int send_advert(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i,
                       const struct mpj_bound *bound, struct mpj_arrival_message *m)
{
  struct mpj_transfer *t = new_transfer(comm, slot, i);
  if (!t) return no_memory_for_transfer(slot);
  t->sending = true;
  m->kind = MPJ_ARRIVAL_ADVERT;
  int status = mpj_net_expose(comm->net, &bound->view, bound->base, 1, on_sent, t, &t->remote);
  if (status == MPJ_SUCCESS) {
    memcpy(m->data, &t->remote, sizeof t->remote);
    status = mpj_net_short(comm->net, mpj_comm_world(comm, slot->schedule->steps[i].peer),
                           MPJ_AM_COLLECTIVE, m, MPJ_ARRIVAL_HEADER + sizeof t->remote);
    if (status == MPJ_SUCCESS) return MPJ_AM_PENDING;
    mpj_net_withdraw(comm->net, &t->remote, false);
  }
  end_transfer(t);
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
  struct mpj_arrival_message m = mpj_step_message(comm, slot, step);
  bound.view = mpj_bound_view(comm, &bound);
  m.bytes = signature.bytes;
  m.digest = mpj_signature_digest(&signature);
  if (m.bytes <= MPJ_INLINE_MAX) return send_inline(comm, step, &bound, &m);
  if (m.bytes <= comm->net->eager_bytes) {
    status = send_eager(comm, step, &bound, &m, NULL);
    if (status != MPJ_AM_AGAIN) return status;
  }
  return send_advert(comm, slot, i, &bound, &m);
}

/* After an error, what depends on earlier steps is not sent; the rest is the
 * caller's own data, whatever else has failed. Data that cannot be sent at all,
 * for lack of memory, is replaced by the news of that: the peer waits for it. */
static int run_send(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i)
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

/* Reduce */

/* Where a dense operand's bytes are; NULL if it is not dense. */
static char *dense_bytes(const struct mpj_bound *bound)
{
  MPJ_Aint start;
  if (!mpj_view_dense(&bound->view, &start)) return NULL;
  return (char *)((uintptr_t)bound->base + (uintptr_t)(start + bound->first));
}

/* dst := packed (op) dst. */
static int combine(const struct mpj_slot *slot, const void *packed, const struct mpj_bound *dst)
{
  const struct mpj_call *call = &slot->call;
  char *to = dense_bytes(dst);
  if (to && call->reduce > 0 && call->temp) { /* all elements of one basic type, side by side */
    mpj_reduce_kernel_of((enum mpj_reduce_op)(call->reduce - 1),
                         call->temp->u.run.basic)(packed, to, dst->bytes / call->unit);
    return MPJ_SUCCESS;
  }
  struct mpj_cursor out;
  int status = mpj_cursor_begin(&out, &dst->view, dst->base);
  if (status != MPJ_SUCCESS) return status;
  mpj_cursor_seek(&out, dst->first);
  if (call->reduce > 0)
    status = mpj_cursor_reduce(&out, packed, dst->bytes, (enum mpj_reduce_op)(call->reduce - 1));
  else if (call->op)
    status = mpj_op_combine(call->op, &out, packed, dst->bytes, slot->scratch);
  else
    status = mpj_cursor_combine(&out, packed, dst->bytes, call->combine, call->combine_ctx);
  mpj_cursor_end(&out);
  return status;
}

/* dst := packed (op) dst, for a step's operand. */
static int reduce_into(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_operand dst,
                       const void *packed)
{
  struct mpj_bound bound = {0};
  int status = mpj_bind_operand(comm, slot, dst, &bound, NULL);
  /* Where temporaries are bytes to the cursor, what they hold must be told. */
  if (status == MPJ_SUCCESS && dst.buffer == MPJ_BUFFER_TEMP && !slot->call.op && !slot->call.temp)
    status = mpj_bind_elements(slot, dst, &bound.view);
  return status == MPJ_SUCCESS ? combine(slot, packed, &bound) : status;
}

static int run_reduce(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step)
{
  struct mpj_bound src = {0};
  const int status = mpj_bind_operand(comm, slot, mpj_step_src(slot->schedule, step), &src, NULL);
  if (status != MPJ_SUCCESS) return status;
  const char *packed = dense_bytes(&src);
  assert(packed);
  return reduce_into(comm, slot, mpj_step_dst(slot->schedule, step), packed);
}

/* Receive */

static void decline(struct mpj_comm *comm, int source, const struct mpj_arrival_message *m)
{
  struct mpj_am_remote remote;
  memcpy(&remote, m->data, sizeof remote);
  mpj_net_decline(comm->net, mpj_comm_world(comm, source), &remote);
}

static void name_operand(char *text, size_t size, struct mpj_operand operand)
{
  static const char *const names[] = {"nothing", "sendtype", "recvtype", "a temporary", "a bundle"};
  if (operand.part == MPJ_WHOLE || operand.buffer >= MPJ_BUFFER_TEMP)
    snprintf(text, size, "%s", names[operand.buffer]);
  else
    snprintf(text, size, "part %d of %s", operand.part, names[operand.buffer]);
}

int mpj_step_mismatch(const struct mpj_comm *comm, const struct mpj_slot *slot, uint16_t i,
                      int source, MPJ_Count bytes, uint64_t digest, const struct mpj_signature *own)
{
  char name[40];
  name_operand(name, sizeof name, mpj_step_dst(slot->schedule, &slot->schedule->steps[i]));
  return mpj_error(MPJ_ERR_SIGNATURE,
                   "%s: rank %d sent %lld bytes with signature %016llx, %s of rank %d describes "
                   "%lld bytes with signature %016llx",
                   mpj_operation_name(slot->schedule->operation), source, (long long)bytes,
                   (unsigned long long)digest, name, comm->rank, (long long)own->bytes,
                   (unsigned long long)mpj_signature_digest(own));
}

static int unpack_small(const struct mpj_bound *bound, const void *data, MPJ_Count bytes)
{
  MPJ_Aint start;
  if (mpj_view_dense(&bound->view, &start)) {
    if (bytes > 0) memcpy((char *)((uintptr_t)bound->base + (uintptr_t)start), data, (size_t)bytes);
    return MPJ_SUCCESS;
  }
  struct mpj_cursor cursor;
  const int status = mpj_cursor_begin(&cursor, &bound->view, bound->base);
  if (status != MPJ_SUCCESS) return status;
  mpj_cursor_unpack(&cursor, data, bytes);
  mpj_cursor_end(&cursor);
  return MPJ_SUCCESS;
}

/* Queue the pull of advertised data: mpj_transfers_advance begins it. */
static int queue_pull(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i, int source,
                      const struct mpj_arrival_message *m, const struct mpj_bound *bound)
{
  struct mpj_transfer *t = new_transfer(comm, slot, i);
  if (!t) return no_memory_for_transfer(slot);
  const int status = mpj_cursor_begin(&t->cursor, &bound->view, bound->base);
  if (status != MPJ_SUCCESS) {
    end_transfer(t);
    return status;
  }
  t->has_cursor = true;
  t->source = source;
  memcpy(&t->remote, m->data, sizeof t->remote);
  return MPJ_AM_PENDING;
}

/* Whether a recv step combines what comes with what is there. */
static bool combines(const struct mpj_schedule *s, const struct mpj_step *step)
{
  return mpj_step_src(s, step).buffer != MPJ_BUFFER_NONE;
}

/* Combine what has come within a message, or queue the pull of what has not. After an
 * error what is there may be no data, and least of all for a user's operation. */
static int take_to_combine(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i, int source,
                           const struct mpj_arrival_message *m, const void *payload)
{
  const struct mpj_step *step = &slot->schedule->steps[i];
  _Alignas(16) unsigned char aligned[MPJ_INLINE_MAX];
  if (m->kind != MPJ_ARRIVAL_INLINE) { /* taken also where it is not needed this time: so the
                                        * first call has allocated all that later ones may need */
    struct mpj_bound aside = {0};
    const int status =
        mpj_bind_operand(comm, slot, mpj_step_src(slot->schedule, step), &aside, NULL);
    if (status != MPJ_SUCCESS) return status;
    aside.view = mpj_bound_view(comm, &aside);
    if (m->kind == MPJ_ARRIVAL_ADVERT) return queue_pull(comm, slot, i, source, m, &aside);
  }
  if (slot->status != MPJ_SUCCESS) return MPJ_SUCCESS;
  if (m->kind == MPJ_ARRIVAL_INLINE) payload = memcpy(aligned, m->data, sizeof aligned);
  return reduce_into(comm, slot, mpj_step_dst(slot->schedule, step), payload);
}

static int take(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i, int source,
                const struct mpj_arrival_message *m, const void *payload)
{
  struct mpj_bound bound = {0};
  struct mpj_signature own;
  if (m->kind == MPJ_ARRIVAL_POISON)
    return mpj_error((int)m->digest, "%s: rank %d could not send its data: %s",
                     mpj_operation_name(slot->schedule->operation), source,
                     mpj_error_name((int)m->digest));
  const struct mpj_operand dst = mpj_step_dst(slot->schedule, &slot->schedule->steps[i]);
  const int status = dst.buffer == MPJ_BUFFER_BUNDLE
                         ? mpj_bundle_expect(comm, slot, dst, m->bytes, &bound, &own)
                         : mpj_bind_operand(comm, slot, dst, &bound, &own);
  if (status != MPJ_SUCCESS) return status;
  if (m->bytes != own.bytes || m->digest != mpj_signature_digest(&own))
    return mpj_step_mismatch(comm, slot, i, source, m->bytes, m->digest, &own);
  if (combines(slot->schedule, &slot->schedule->steps[i]))
    return take_to_combine(comm, slot, i, source, m, payload);
  bound.view = mpj_bound_view(comm, &bound);
  if (m->kind == MPJ_ARRIVAL_ADVERT) return queue_pull(comm, slot, i, source, m, &bound);
  return unpack_small(&bound, m->kind == MPJ_ARRIVAL_INLINE ? m->data : payload, own.bytes);
}

void mpj_step_take(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i, int source,
                   const struct mpj_arrival_message *message, const void *payload)
{
  const int status = take(comm, slot, i, source, message, payload);
  if (status == MPJ_AM_PENDING) return;
  if (status != MPJ_SUCCESS) {
    mpj_operation_note_error(slot, status);
    if (message->kind == MPJ_ARRIVAL_ADVERT) decline(comm, source, message);
  }
  mpj_step_complete(slot, i);
}

/* The source died, or withdrew because the operation has failed: as if the
 * advertisement had never come. Who it was and why is told in other ways. */
static void forget_arrival(struct mpj_slot *slot, uint16_t i)
{
  const unsigned bit = slot->schedule->steps[i].bit;
  slot->seen.word[bit / 64] &= ~(UINT64_C(1) << (bit % 64));
  slot->waits[i] = 1;
  slot->look_again = true;
}

static void on_pulled(void *arg, int status)
{
  struct mpj_transfer *t = arg;
  struct mpj_comm *comm = t->comm;
  struct mpj_slot *slot = t->slot;
  const uint16_t i = t->step;
  end_transfer(t);
  if (status == MPJ_ERR_PEER || status == MPJ_ERR_INTERNAL) {
    forget_arrival(slot, i);
    return;
  }
  const struct mpj_step *step = &slot->schedule->steps[i];
  if (status == MPJ_SUCCESS && slot->status == MPJ_SUCCESS && combines(slot->schedule, step))
    status = run_reduce(comm, slot, step);
  if (status != MPJ_SUCCESS) mpj_operation_note_error(slot, status);
  mpj_step_complete(slot, i);
}

bool mpj_transfers_advance(struct mpj_comm *comm, struct mpj_slot *slot)
{
  bool moved = false;
  struct mpj_transfer *next;
  for (struct mpj_transfer *t = slot->transfers; t; t = next) {
    next = t->next;
    if (t->sending || t->begun) continue;
    const int status = mpj_net_pull(comm->net, mpj_comm_world(comm, t->source), &t->remote,
                                    &t->cursor, on_pulled, t);
    if (status == MPJ_AM_AGAIN) continue;
    moved = true;
    t->begun = true;
    if (status != MPJ_AM_PENDING) on_pulled(t, status);
  }
  return moved;
}

void mpj_transfers_abandon(struct mpj_comm *comm, struct mpj_slot *slot)
{
  struct mpj_transfer *next;
  for (struct mpj_transfer *t = slot->transfers; t; t = next) {
    next = t->next;
    if (t->begun) continue; /* ends by its callback */
    if (!t->sending)
      mpj_net_decline(comm->net, mpj_comm_world(comm, t->source), &t->remote);
    else if (mpj_net_withdraw(comm->net, &t->remote, true) == MPJ_AM_PENDING)
      continue; /* likewise */
    end_transfer(t);
  }
}

/* Copy, point */

static int copy_mismatch(const struct mpj_comm *comm, const struct mpj_slot *slot,
                         const struct mpj_signature *from, const struct mpj_signature *to)
{
  return mpj_error(MPJ_ERR_SIGNATURE,
                   "%s: rank %d's own part has %lld bytes in %lld elements in sendtype, %lld bytes "
                   "in %lld elements in recvtype",
                   mpj_operation_name(slot->schedule->operation), comm->rank,
                   (long long)from->bytes, (long long)from->elements, (long long)to->bytes,
                   (long long)to->elements);
}

/* Up to here a copy between dense operands needs no cursor. */
enum { PLAIN_COPY_BYTES = 4096 };

static bool copy_plainly(const struct mpj_bound *src, const struct mpj_bound *dst)
{
  if (src->bytes > PLAIN_COPY_BYTES || src->bytes == 0) return src->bytes == 0;
  const char *from = dense_bytes(src);
  char *to = dense_bytes(dst);
  if (from && to) memcpy(to, from, (size_t)src->bytes);
  return from && to;
}

static int run_copy(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step)
{
  struct mpj_bound src = {0}, dst = {0};
  struct mpj_signature from, to;
  const struct mpj_operand from_what = mpj_step_src(slot->schedule, step);
  const struct mpj_operand to_what = mpj_step_dst(slot->schedule, step);
  if (from_what.buffer == MPJ_BUFFER_BUNDLE || to_what.buffer == MPJ_BUFFER_BUNDLE)
    return mpj_bundle_copy(comm, slot, step);
  int status = mpj_bind_operand(comm, slot, from_what, &src, &from);
  if (status == MPJ_SUCCESS) status = mpj_bind_operand(comm, slot, to_what, &dst, &to);
  if (status != MPJ_SUCCESS) return status;
  if (src.in_place || dst.in_place) return MPJ_SUCCESS;
  if (!mpj_signature_equal(&from, &to)) return copy_mismatch(comm, slot, &from, &to);
  if (copy_plainly(&src, &dst)) return MPJ_SUCCESS;
  struct mpj_cursor in, out;
  status = mpj_cursor_begin(&in, &src.view, src.base);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_cursor_begin(&out, &dst.view, dst.base);
  if (status == MPJ_SUCCESS) {
    mpj_cursor_seek(&in, src.first);
    mpj_cursor_seek(&out, dst.first);
    mpj_cursor_copy(&out, &in, src.bytes);
    mpj_cursor_end(&out);
  }
  mpj_cursor_end(&in);
  return status;
}

/* Whether any await that the point depends on brought a no. */
static bool is_vetoed(struct mpj_comm *comm, const struct mpj_slot *slot, uint16_t point)
{
  if (!comm->net) return false;
  const struct mpj_schedule *s = slot->schedule;
  const struct mpj_control_slot *c =
      &mpj_net_window(comm->net, comm->control)->slot[slot->sequence % MPJ_WINDOW];
  for (uint16_t i = 0; i < point; i++) {
    const struct mpj_step *step = &s->steps[i];
    if (step->kind != MPJ_STEP_AWAIT) continue;
    for (unsigned k = 0; k < step->nnext; k++)
      if (s->next[step->first_next + k] == point &&
          (mpj_atomic_bits_load(&c->vetoed, step->bit / 64) >> (step->bit % 64) & 1))
        return true;
  }
  return false;
}

/* Choose. The steps of the other alternative are passed over when their turn
 * comes; those that wait for an arrival stop waiting for it. */
static int run_point(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i)
{
  const struct mpj_schedule *s = slot->schedule;
  const bool no = !is_dense(comm, slot, mpj_step_src(s, &s->steps[i])) || is_vetoed(comm, slot, i);
  slot->chosen[i] = no;
  for (unsigned k = i + 1u; k < s->nsteps; k++) {
    const struct mpj_step *step = &s->steps[k];
    const bool arrives = step->kind == MPJ_STEP_RECV || step->kind == MPJ_STEP_AWAIT;
    const struct mpj_branch branch = mpj_step_branch(s, k);
    if (branch.point != i || branch.alternative == slot->chosen[i] || !arrives) continue;
    if (mpj_bits_test(&slot->seen, step->bit)) { /* a peer has chosen otherwise */
      mpj_operation_stranger(comm, slot, step->peer, NULL);
      return MPJ_AM_PENDING;
    }
    slot->waits[k]--;
  }
  return MPJ_SUCCESS;
}

bool mpj_step_is_passed_over(const struct mpj_slot *slot, uint16_t i)
{
  const struct mpj_branch branch = mpj_step_branch(slot->schedule, i);
  if (branch.point == MPJ_NO_STEP || !slot->complete[branch.point]) return false;
  return slot->chosen[branch.point] != branch.alternative;
}

/* Whether the step would work on what an earlier one has failed to provide: its
 * bytes are no data, and least of all elements to give to a user's operation. */
static bool is_moot(const struct mpj_slot *slot, const struct mpj_step *step)
{
  const struct mpj_schedule *s = slot->schedule;
  if (slot->status == MPJ_SUCCESS) return false;
  const struct mpj_operand src = mpj_step_src(s, step), dst = mpj_step_dst(s, step);
  const bool local = step->kind == MPJ_STEP_COPY || step->kind == MPJ_STEP_REDUCE;
  if (src.buffer == MPJ_BUFFER_BUNDLE || dst.buffer == MPJ_BUFFER_BUNDLE)
    return false; /* bundles know what they lack */
  return local && (s->waits[step - s->steps] > 0 || src.buffer == MPJ_BUFFER_TEMP);
}

/* Whether data goes straight where short data goes in a bundle. What cannot be bound goes
 * neither way: the bundle lacks it. */
static bool is_long(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step)
{
  struct mpj_bound bound = {0};
  const int status = mpj_bind_operand(comm, slot, mpj_step_src(slot->schedule, step), &bound, NULL);
  return status == MPJ_SUCCESS && bound.bytes > MPJ_SHORT_BYTES;
}

int mpj_step_run(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i)
{
  const struct mpj_step *step = &slot->schedule->steps[i];
  if (mpj_step_is_passed_over(slot, i) || is_moot(slot, step)) return MPJ_SUCCESS;
  if (slot->relayed && step->kind == MPJ_STEP_SEND && slot->chosen[i]) return MPJ_SUCCESS;
  switch (step->kind) {
  case MPJ_STEP_SIGNAL:
    return run_signal(comm, slot, step);
  case MPJ_STEP_MEET:
    return run_meet(comm, slot, step);
  case MPJ_STEP_POST:
    return mpj_post_run(comm, slot, i);
  case MPJ_STEP_SEND:
    return run_send(comm, slot, i);
  case MPJ_STEP_COPY:
    return run_copy(comm, slot, step);
  case MPJ_STEP_REDUCE:
    return run_reduce(comm, slot, step);
  case MPJ_STEP_POINT:
    return run_point(comm, slot, i);
  case MPJ_STEP_SEND_LONG:
    return is_long(comm, slot, step) ? run_send(comm, slot, i) : MPJ_SUCCESS;
  case MPJ_STEP_ADD_SHORT:
    return is_long(comm, slot, step) ? mpj_bundle_begin(slot, mpj_step_dst(slot->schedule, step))
                                     : mpj_bundle_copy(comm, slot, step);
  case MPJ_STEP_DELIVER:
    return mpj_bundle_deliver(comm, slot, step);
  case MPJ_STEP_RECV_EITHER:
  case MPJ_STEP_RECV:
    mpj_early_take(comm, slot, i);
    return MPJ_AM_PENDING;
  case MPJ_STEP_AWAIT:
    break;
  }
  return MPJ_SUCCESS;
}
