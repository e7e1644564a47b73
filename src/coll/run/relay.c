/* This file forwards broadcasts and scatters for a rank that has not called them yet. */
#include "coll/run/relay.h"

#include <string.h>

#include "base/wtime.h"
#include "coll/comm/context.h"
#include "coll/run/comm_records.h"
#include "coll/run/relay_data.h"
#include "coll/run/tally.h"
#include "coll/select/algorithms.h"
#include "coll/steps/bundle_record.h"

/* What one child gets of an arrival. */
struct share {
  struct mpj_arrival_message message; /* its header */
  const unsigned char *data;
};

/* The algorithm of a message of data, if such messages can be sent on; else NULL. */
static const struct mpj_algorithm *algorithm_of(const struct mpj_arrival_message *m)
{
  const struct mpj_algorithm *a = mpj_algorithm_row(m->algorithm);
  const bool is_data = m->kind <= MPJ_ARRIVAL_ADVERT;
  return is_data && a && a->operation == m->operation && a->tree != MPJ_TREE_NONE ? a : NULL;
}

/* The tree that a message travels along; false if it is none's. */
static bool tree_of(const struct mpj_comm *comm, const struct mpj_arrival_message *m,
                    struct mpj_tree *tree)
{
  const struct mpj_algorithm *a = algorithm_of(m);
  if (!a || m->radix < a->least_radix) return false;
  if (m->root < 0 || m->root >= comm->size) return false;
  return mpj_tree_find(comm, a->tree, m->radix, m->root, tree);
}

void mpj_relay_consider(struct mpj_comm *comm, struct mpj_early *early)
{
  early->relays = comm->context->progress && algorithm_of(&early->message);
  early->relayed = 0;
  if (!early->relays) return;
  comm->relaying = true;
  mpj_comm_is_busy(comm);
}

/* What is for this child: of a broadcast everything, of a scatter's bundle the records of its
 * subtree. False: the bundle lacks them. */
static bool share_of(const struct mpj_early *early, const struct mpj_tree_child *child,
                     struct share *share)
{
  const MPJ_Count all = mpj_message_bytes(&early->message);
  size_t at, bytes;
  share->message = early->message;
  share->data =
      early->message.kind == MPJ_ARRIVAL_INLINE ? early->message.data : early->kept.payload;
  if (early->message.operation == MPJ_OPERATION_BCAST) return true;
  if (!mpj_bundle_find(share->data, (size_t)all, child->first, child->end, &at, &bytes))
    return false;
  share->data += at;
  mpj_message_say(&share->message, (int64_t)bytes, early->message.bit);
  share->message.digest = mpj_bundle_digest(bytes);
  return true;
}

/* Whether the slot's operation has not been called, and will be. */
static bool can_relay(const struct mpj_comm *comm, const struct mpj_slot *slot)
{
  return !slot->active && slot->poison.code == 0 && comm->broken.code == 0 && !comm->freed;
}

static bool is_gone(struct mpj_comm *comm, int peer)
{
  return mpj_net_peer_state(comm->net, mpj_comm_world(comm, peer), NULL) >= MPJ_RANK_FINALIZED;
}

/* Whether the peer may be sent messages of operation n. */
static bool has_room(struct mpj_comm *comm, int peer, uint64_t n)
{
  return n < mpj_comm_done_at(comm, peer) + mpj_comm_slots(comm);
}

static int send_inline(struct mpj_comm *comm, int peer, const struct share *share)
{
  const unsigned bytes = (unsigned)mpj_message_bytes(&share->message);
  struct mpj_arrival_message m = share->message;
  m.kind = MPJ_ARRIVAL_INLINE;
  memcpy(m.data, share->data, bytes);
  return mpj_net_short(comm->net, mpj_comm_world(comm, peer), MPJ_AM_COLLECTIVE, &m,
                       MPJ_ARRIVAL_HEADER + bytes);
}

static int send_eager(struct mpj_comm *comm, int peer, const struct share *share)
{
  struct mpj_cursor cursor;
  const MPJ_Count bytes = mpj_message_bytes(&share->message);
  const struct mpj_view view = {comm->byte.layout, bytes, 1, 0};
  struct mpj_arrival_message m = share->message;
  m.kind = MPJ_ARRIVAL_EAGER;
  int status = mpj_cursor_begin(&cursor, &view, (void *)(uintptr_t)share->data);
  if (status != MPJ_SUCCESS) return MPJ_AM_AGAIN;
  status = mpj_net_eager(comm->net, mpj_comm_world(comm, peer), MPJ_AM_COLLECTIVE, &m,
                         MPJ_ARRIVAL_HEADER, &cursor, bytes, NULL, NULL);
  mpj_cursor_end(&cursor);
  return status;
}

/* As a rank sends its own data (steps/step_send.c), but that only what has been brought here can be
 * offered. MPJ_SUCCESS, or anything else: not now. */
static int send_now(struct mpj_comm *comm, int peer, const struct mpj_early *early,
                    struct share *share)
{
  const MPJ_Count bytes = mpj_message_bytes(&share->message);
  int status = MPJ_AM_AGAIN;
  share->message.comm = mpj_comm_id_at(comm, peer);
  if (bytes <= MPJ_INLINE_MAX) return send_inline(comm, peer, share);
  if (!early->data || bytes <= comm->net->eager_bytes) status = send_eager(comm, peer, share);
  if (status == MPJ_SUCCESS || !early->data) return status;
  return mpj_relay_data_offer(early->data, (unsigned)early->relayed, peer, &share->message,
                              share->data);
}

/* Whether nothing of the operation has been sent on. */
static bool is_first(const struct mpj_comm *comm, uint64_t n)
{
  for (const struct mpj_early *e = mpj_comm_slot(comm, n)->early; e; e = e->next)
    if (e->relayed > 0) return false;
  return true;
}

/* Send the next child its share, and note that; returns as send_now. */
static int send_on(struct mpj_comm *comm, int peer, uint64_t n, struct mpj_early *early,
                   struct share *share)
{
  const bool notes = comm->context->tally;
  const int64_t begun = notes ? mpj_clock_ns() : 0;
  const int status = has_room(comm, peer, n) ? send_now(comm, peer, early, share) : MPJ_AM_AGAIN;
  if (status != MPJ_SUCCESS) return status;
  if (notes) mpj_tally_relayed(comm, n, &share->message, peer, is_first(comm, n), begun);
  early->relayed++;
  return MPJ_SUCCESS;
}

/* Have an arrival's data brought here, if so much may be and somebody wants it; whether the pull
 * has begun. What has to wait for room is looked at again. */
static bool bring(struct mpj_comm *comm, uint64_t n, struct mpj_early *early, int children)
{
  const MPJ_Count bytes = mpj_message_bytes(&early->message);
  early->relays = children > 0 && mpj_relay_data_fits(bytes);
  if (!early->relays) return false;
  if (!early->data) {
    if (!mpj_relay_data_has_room(comm->context, bytes)) return false;
    struct mpj_slot *slot = mpj_comm_slot(comm, n);
    early->relays = mpj_relay_data_queue(comm, slot, early, (unsigned)children) == MPJ_SUCCESS;
    if (!early->relays) return false;
  }
  return mpj_relay_data_pull(early->data, n);
}

/* Send one arrival on, to the last child first, as the schedule does. It may be no more by then. */
static bool relay(struct mpj_comm *comm, uint64_t n, struct mpj_early *early)
{
  struct mpj_tree tree = {0};
  bool moved = false;
  if (early->data && early->data->state == MPJ_RELAY_PULLING) return false;
  early->relays = tree_of(comm, &early->message, &tree) && tree.parent == early->source;
  if (early->relays && early->message.kind == MPJ_ARRIVAL_ADVERT) {
    moved = bring(comm, n, early, tree.nchildren);
    mpj_tree_drop(&tree);
    return moved;
  }
  while (early->relays && early->relayed < tree.nchildren) {
    const struct mpj_tree_child *child = &tree.child[tree.nchildren - 1 - early->relayed];
    struct share share;
    if (is_gone(comm, child->rank) || !share_of(early, child, &share))
      break; /* whoever calls finds that out */
    if (send_on(comm, child->rank, n, early, &share) != MPJ_SUCCESS) {
      mpj_tree_drop(&tree);
      return moved;
    }
    moved = true;
  }
  mpj_tree_drop(&tree);
  early->relays = false;
  return moved;
}

/* Whether there is something to relay still, or a child has still to take what it was offered. */
static bool is_relaying(const struct mpj_comm *comm)
{
  for (const struct mpj_relay_data *d = comm->context->relay_data; d; d = d->next)
    if (d->comm == comm && can_relay(comm, d->slot)) return true;
  for (uint64_t n = comm->completed; n < comm->completed + mpj_comm_slots(comm); n++)
    for (const struct mpj_early *e = mpj_comm_slot(comm, n)->early; e; e = e->next)
      if (e->relays && can_relay(comm, mpj_comm_slot(comm, n))) return true;
  return false;
}

bool mpj_relay_advance(struct mpj_comm *comm)
{
  bool moved = false;
  for (uint64_t n = comm->completed; n < comm->completed + mpj_comm_slots(comm); n++) {
    struct mpj_slot *slot = mpj_comm_slot(comm, n);
    if (!can_relay(comm, slot)) continue;
    for (struct mpj_early *e = slot->early, *next; e; e = next) {
      next = e->next;
      if (e->relays) moved |= relay(comm, n, e);
    }
  }
  comm->relaying = is_relaying(comm);
  return moved;
}

/* A bundle that has been forwarded is not filled. */
static void pass_over_copies(struct mpj_slot *slot, unsigned send)
{
  const struct mpj_schedule *s = slot->schedule;
  const struct mpj_operand bundle = mpj_step_src(s, &s->steps[send]);
  for (unsigned i = 0; bundle.buffer == MPJ_BUFFER_BUNDLE && i < send; i++) {
    const struct mpj_operand to = mpj_step_dst(s, &s->steps[i]);
    if (s->steps[i].kind == MPJ_STEP_COPY && to.buffer == bundle.buffer && to.part == bundle.part)
      slot->forwarded[i] = MPJ_FORWARDED;
  }
}

void mpj_relay_pass_over(struct mpj_slot *slot, const struct mpj_early *early)
{
  const struct mpj_schedule *s = slot->schedule;
  int left = early->relayed;
  if (left > 0 && !slot->relayed) memset(slot->forwarded, 0, s->nsteps);
  slot->relayed |= left > 0;
  for (unsigned i = 0; i < s->nsteps && left > 0; i++) {
    if (s->steps[i].kind != MPJ_STEP_SEND || s->steps[i].bit != early->message.bit) continue;
    slot->forwarded[i] = MPJ_FORWARDED;
    pass_over_copies(slot, i);
    if (early->data) mpj_relay_data_adopt(early->data, (unsigned)(early->relayed - left), i);
    left--;
  }
}
