/* This file sends and takes marked messages: from registers to the cell, and from the cell to
 * where they are waited for. */
#include <string.h>

#include "net/cells/ring.h"

/* Most data is of one length. */
static void copy_data(void *to, const void *from, unsigned bytes)
{
  if (bytes == 8)
    memcpy(to, from, 8);
  else if (bytes > 0)
    memcpy(to, from, bytes);
}

void mpj_cells_put_mark(struct mpj_cell *cell, struct mpj_am_mark mark, const void *data,
                        unsigned bytes)
{
  cell->bytes = (uint8_t)(MPJ_AM_MARK + bytes);
  cell->marked = 1;
  memcpy(cell->body, &mark.first, sizeof mark.first);
  memcpy(cell->body + sizeof mark.first, mark.rest, MPJ_AM_MARK - sizeof mark.first);
  copy_data(cell->body + MPJ_AM_MARK, data, bytes);
}

static uint64_t word(const struct mpj_cell *cell, unsigned i)
{
  uint64_t w;
  memcpy(&w, cell->body + i * sizeof w, sizeof w);
  return w;
}

static bool has_mark(const struct mpj_cell *cell, struct mpj_am_mark mark)
{
  return ((word(cell, 0) ^ mark.first) | (word(cell, 1) ^ mark.rest[0]) |
          (word(cell, 2) ^ mark.rest[1]) | (word(cell, 3) ^ mark.rest[2])) == 0;
}

/* The message is in no ring. Who waits, for whomever, empties its inbox, as its senders have few
 * cells there: what is kept then is found by the next look. */
static enum mpj_taken empty_inbox(struct mpj_cells *c)
{
  if (c->inbox && mpj_inbox_has_news(c)) mpj_inbox_poll(c);
  return MPJ_NOT_HERE;
}

/* The payload of a cell of the peer's ring, if it has one of so many bytes in a slot of that. */
static bool find_payload(struct mpj_cells *c, int peer, const struct mpj_cell *cell, unsigned bytes,
                         struct mpj_am_kept *kept)
{
  const unsigned slot = cell->slot;
  uint32_t length;
  memcpy(&length, cell->body + MPJ_CELL_LENGTH_AT, sizeof length);
  if (slot >= c->segment->config.tokens || length != bytes) return false;
  kept->source = peer;
  kept->slot = slot;
  kept->payload = mpj_segment_slot(c->segment, c->rank, c->peers[peer].in_ring, slot);
  kept->bytes = bytes;
  return true;
}

/* The cell is looked at where it is: a peer that writes it again meanwhile spoils its own data. */
enum mpj_taken mpj_cells_take(struct mpj_transport *t, int peer, unsigned handler,
                              struct mpj_am_mark mark, void *data, unsigned bytes,
                              struct mpj_am_kept *kept)
{
  const unsigned inlined = kept ? 0 : bytes;
  struct mpj_cells *c = (struct mpj_cells *)t;
  struct mpj_cells_peer *p = &c->peers[peer];
  if (!p->in) return empty_inbox(c);
  const struct mpj_cell *cell = &p->in[p->head % MPJ_RING_CELLS];
  if (atomic_load_explicit(&cell->turn, memory_order_acquire) != p->head + 1) return empty_inbox(c);
  if (cell->handler != handler || cell->bytes != MPJ_AM_MARK + inlined || !has_mark(cell, mark) ||
      (kept ? !find_payload(c, peer, cell, bytes, kept) : cell->slot != MPJ_NO_SLOT))
    return MPJ_ANOTHER_HERE;
  const enum mpj_taken taken = cell->marked ? MPJ_TAKEN_MARKED : MPJ_TAKEN;
  copy_data(data, cell->body + MPJ_AM_MARK, inlined);
  p->head++;
  p->in_a_row++;
  mpj_ring_have_read(c, peer);
  return taken;
}
