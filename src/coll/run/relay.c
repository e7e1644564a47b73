/* This file forwards broadcasts for a rank that has not called them yet. */
#include "coll/run/relay.h"

#include <string.h>

#include "base/wtime.h"
#include "coll/comm/context.h"
#include "coll/run/comm_records.h"
#include "coll/run/relay_data.h"
#include "coll/run/tally.h"
#include "coll/select/algorithms.h"

/* The tree that a message travels along; false if it is none's. */
static bool tree_of(const struct mpj_comm *comm, const struct mpj_arrival_message *m,
                    struct mpj_tree *tree)
{
  const struct mpj_algorithm *a = mpj_algorithm_row(m->algorithm);
  if (!a || a->operation != MPJ_OPERATION_BCAST || a->tree == MPJ_TREE_NONE ||
      m->radix < a->least_radix ||
      a->arrivals(&comm->facts, m->radix, m->segments) > MPJ_ARRIVALS_MOST)
    return false;
  if (m->root < 0 || m->root >= comm->size) return false;
  return mpj_tree_find(comm, a->tree, m->radix, m->root, tree);
}

void mpj_relay_consider(struct mpj_comm *comm, struct mpj_early *early)
{
  const struct mpj_arrival_message *m = &early->message;
  const bool is_data = m->kind <= MPJ_ARRIVAL_ADVERT;
  early->relays = is_data && m->operation == MPJ_OPERATION_BCAST && comm->context->progress;
  early->relayed = 0;
  if (!early->relays) return;
  comm->relaying = true;
  mpj_comm_is_busy(comm);
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

static int send_eager(struct mpj_comm *comm, int peer, const struct mpj_early *early)
{
  struct mpj_cursor cursor;
  const struct mpj_view bytes = {comm->byte.layout, mpj_message_bytes(&early->message), 1, 0};
  struct mpj_arrival_message m = early->message;
  m.comm = mpj_comm_id_at(comm, peer);
  int status = mpj_cursor_begin(&cursor, &bytes, (void *)(uintptr_t)early->kept.payload);
  if (status != MPJ_SUCCESS) return MPJ_AM_AGAIN;
  status =
      mpj_net_eager(comm->net, mpj_comm_world(comm, peer), MPJ_AM_COLLECTIVE, &m,
                    MPJ_ARRIVAL_HEADER, &cursor, mpj_message_bytes(&early->message), NULL, NULL);
  mpj_cursor_end(&cursor);
  return status;
}

/* MPJ_SUCCESS, or anything else: not now. */
static int send_now(struct mpj_comm *comm, int peer, uint64_t n, const struct mpj_early *early)
{
  struct mpj_arrival_message m = early->message;
  if (!has_room(comm, peer, n)) return MPJ_AM_AGAIN;
  if (early->data) return mpj_relay_data_offer(early->data, (unsigned)early->relayed, peer);
  if (m.kind == MPJ_ARRIVAL_EAGER) return send_eager(comm, peer, early);
  m.comm = mpj_comm_id_at(comm, peer);
  return mpj_net_short(comm->net, mpj_comm_world(comm, peer), MPJ_AM_COLLECTIVE, &m,
                       MPJ_ARRIVAL_HEADER + (unsigned)m.bytes);
}

/* Whether nothing of the operation has been sent on. */
static bool is_first(const struct mpj_comm *comm, uint64_t n)
{
  for (const struct mpj_early *e = mpj_comm_slot(comm, n)->early; e; e = e->next)
    if (e->relayed > 0) return false;
  return true;
}

/* Send it, and note that; returns as send_now. */
static int send_on(struct mpj_comm *comm, int peer, uint64_t n, struct mpj_early *early)
{
  const bool notes = comm->context->tally;
  const int64_t begun = notes ? mpj_clock_ns() : 0;
  const int status = send_now(comm, peer, n, early);
  if (status != MPJ_SUCCESS) return status;
  if (notes) mpj_tally_relayed(comm, n, &early->message, peer, is_first(comm, n), begun);
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
    const int child = tree.child[tree.nchildren - 1 - early->relayed].rank;
    if (is_gone(comm, child)) break; /* whoever calls finds that out */
    if (send_on(comm, child, n, early) != MPJ_SUCCESS) {
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

void mpj_relay_pass_over(struct mpj_slot *slot, const struct mpj_early *early)
{
  const struct mpj_schedule *s = slot->schedule;
  int left = early->relayed;
  if (left > 0 && !slot->relayed) memset(slot->forwarded, 0, s->nsteps);
  slot->relayed |= left > 0;
  for (unsigned i = 0; i < s->nsteps && left > 0; i++) {
    if (s->steps[i].kind != MPJ_STEP_SEND || s->steps[i].bit != early->message.bit) continue;
    slot->forwarded[i] = MPJ_FORWARDED;
    if (early->data) mpj_relay_data_adopt(early->data, (unsigned)(early->relayed - left), i);
    left--;
  }
}
