/* This file takes one cell in: its payload's slot, if it has one, and its handler. */
#include <assert.h>
#include <string.h>

#include "base/status.h"
#include "net/cells/inbox.h"

static void return_slot(struct mpj_cells *c, int source, unsigned slot)
{
  if (slot >= MPJ_POOL_AT) {
    mpj_inbox_free_slot(c, slot - MPJ_POOL_AT);
    return;
  }
  atomic_fetch_or_explicit(&c->peers[source].in_pair->returned, UINT32_C(1) << slot,
                           memory_order_release);
}

void mpj_cells_release(struct mpj_transport *t, const struct mpj_am_kept *kept)
{
  return_slot((struct mpj_cells *)t, kept->source, kept->slot);
}

/* Describe the payload of an eager cell; false if the cell makes no sense. */
static bool find_payload(struct mpj_cells *c, const struct mpj_cell *cell, struct mpj_am_kept *kept)
{
  const struct mpj_cells_peer *p = &c->peers[kept->source];
  uint32_t length;
  memcpy(&length, cell->body + MPJ_CELL_LENGTH_AT, sizeof length);
  if (length > c->segment->config.eager_bytes) return false;
  kept->slot = cell->slot;
  kept->bytes = length;
  if (cell->slot >= MPJ_POOL_AT) {
    kept->payload = mpj_segment_pool(c->segment, c->rank, kept->slot - MPJ_POOL_AT);
    return mpj_inbox_take_slot(c, kept->source, kept->slot - MPJ_POOL_AT);
  }
  if (cell->slot >= c->segment->config.tokens || !p->in) return false;
  kept->payload = mpj_segment_slot(c->segment, c->rank, p->in_ring, kept->slot);
  return true;
}

static void deliver(struct mpj_cells *c, const struct mpj_am_kept *kept,
                    const struct mpj_am_dest *dest)
{
  assert(mpj_cursor_remaining(dest->cursor) >= kept->bytes);
  mpj_cursor_unpack(dest->cursor, kept->payload, kept->bytes);
  return_slot(c, kept->source, kept->slot);
  dest->complete(dest->arg, MPJ_SUCCESS);
}

void mpj_cells_receive(struct mpj_cells *c, int source, const struct mpj_cell *cell)
{
  struct mpj_am_arrival arrival = {.source = source,
                                   .header = cell->body,
                                   .header_bytes = cell->bytes,
                                   .has_payload = cell->slot != MPJ_NO_SLOT,
                                   .kept = {.source = source}};
  struct mpj_am_dest dest;
  if (cell->bytes > MPJ_CELL_BODY ||
      (arrival.has_payload && !find_payload(c, cell, &arrival.kept))) {
    mpj_warn("rank %d dropped a malformed message from rank %d", c->rank, source);
    return;
  }
  switch (mpj_net_dispatch(&c->net, cell->handler, &arrival, &dest)) {
  case MPJ_AM_DONE:
    if (arrival.has_payload) return_slot(c, source, arrival.kept.slot);
    break;
  case MPJ_AM_DELIVER:
    deliver(c, &arrival.kept, &dest);
    break;
  case MPJ_AM_KEEP:
    break;
  }
}
