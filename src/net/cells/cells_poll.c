/* This file sends cells, with payloads in slots or without, and receives them. */
#include "net/cells/cells_poll.h"
#include "net/cells/fill.h"
#include "net/cells/inbox_claim.h"
#include "net/cells/ring.h"

#include <assert.h>
#include <string.h>

#include "base/status.h"

enum { CELLS_PER_POLL = 16 };

static struct mpj_cells *cells_of(struct mpj_transport *t)
{
  return (struct mpj_cells *)t;
}

/* Sending */

static uint32_t ranks_a_core(const struct mpj_cells *c)
{
  const int n = c->nranks / c->segment->config.cores;
  return n > 1 ? (uint32_t)n : 1;
}

/* Messages to one peer after which a ring pays, and every so many of which it is tried for again.
 * It costs both ends pages that have not been touched yet; where ranks share cores, each message
 * saves the less of that the longer a rank waits for its core anyhow. But a payload that finds no
 * slot is a change of ranks, and a ring has slots: it counts as that many messages. */
static uint32_t talks_a_ring(const struct mpj_cells *c)
{
  enum { TALKS = 16 };
  return TALKS * ranks_a_core(c);
}

/* Whether there is a free cell for peer: in the ring, in a new one, or in the peer's inbox. */
static bool find_room(struct mpj_cells *c, int peer)
{
  struct mpj_cells_peer *p = mpj_cells_meet(c, peer);
  if (p->mask != 0) {
    const uint32_t consumed = atomic_load_explicit(&p->out_pair->consumed, memory_order_acquire);
    p->left = MPJ_RING_CELLS - (p->tail - consumed);
    if (p->left > MPJ_RING_CELLS) p->left = 0; /* it makes no sense */
    return p->left != 0;
  }
  if (c->letters[peer].talks >= talks_a_ring(c)) {
    c->letters[peer].talks = 0;
    if (mpj_rings_claim(c, peer)) return true;
  }
  return mpj_inbox_claim(c, peer);
}

/* The cell to write next, or NULL while there is none. */
static inline struct mpj_cell *free_cell(struct mpj_cells *c, int peer)
{
  const struct mpj_cells_peer *p = &c->peers[peer];
  if (p->left == 0 && !find_room(c, peer)) return NULL;
  return &p->out[p->tail & p->mask];
}

int mpj_cells_send_short(struct mpj_transport *t, int peer, unsigned handler,
                         struct mpj_am_mark mark, const void *data, unsigned bytes)
{
  struct mpj_cells *c = cells_of(t);
  struct mpj_cell *cell = free_cell(c, peer);
  if (!cell) return MPJ_AM_AGAIN;
  cell->handler = (uint8_t)handler;
  cell->slot = MPJ_NO_SLOT;
  if (mark.rest) {
    mpj_cells_put_mark(cell, mark, data, bytes);
  } else {
    assert(bytes <= MPJ_AM_SHORT_MAX);
    cell->bytes = (uint8_t)bytes;
    cell->marked = 0;
    if (bytes > 0) memcpy(cell->body, data, bytes);
  }
  mpj_ring_publish(c, peer, cell);
  return MPJ_SUCCESS;
}

/* Take in the slots that the peer has given back; whether there is one now. */
static bool renew_tokens(struct mpj_cells_peer *p)
{
  if (atomic_load_explicit(&p->out_pair->returned, memory_order_relaxed) != 0)
    p->tokens |= atomic_exchange_explicit(&p->out_pair->returned, 0, memory_order_acquire) & p->all;
  return p->tokens != 0;
}

/* Take a token for a slot at the peer, the first one free; false if all are in use. Ranks that
 * share cores look for slots given back before they go beyond the first ones, whose pages they have
 * touched: a page that is new to a process costs more than the look. */
static bool take_token(struct mpj_cells *c, int peer, unsigned *slot)
{
  enum { FIRST_SLOTS = 3 };
  struct mpj_cells_peer *p = &c->peers[peer];
  if (p->mask == 0) {
    if (!mpj_inbox_claim_slot(c, peer, slot)) return false;
    *slot += MPJ_POOL_AT;
    return true;
  }
  const bool at_hand = c->spin ? p->tokens != 0 : (p->tokens & FIRST_SLOTS) != 0;
  if (!at_hand && !renew_tokens(p)) return false;
  *slot = (unsigned)__builtin_ctz(p->tokens);
  p->tokens &= p->tokens - 1;
  return true;
}

/* Ask for the lines of the slot that the next payload goes to, as long as this one: nobody reads
 * them now, and they come while this message is on its way. Longer ones, which may be written past
 * the caches, came no sooner (64 lines at once). mpj-bench coll, p = 2, Zen 5, dependent, us,
 * without and with: Bcast of 1 KiB .71 and .63, of 2 KiB 1.05 and .72, Allgather 1.13 and .89. */
static void fetch_next_slot(struct mpj_cells *c, int peer, MPJ_Count bytes)
{
  const struct mpj_cells_peer *p = &c->peers[peer];
  if (!c->spin || p->tokens == 0 || bytes > c->past_least) return;
  const unsigned slot = (unsigned)__builtin_ctz(p->tokens);
  const unsigned char *at = mpj_segment_slot(c->segment, peer, p->out_ring, slot);
  for (MPJ_Count i = 0; i < bytes; i += MPJ_CACHE_LINE)
    mpj_prefetch_to_write(at + i);
}

int mpj_cells_send_eager(struct mpj_transport *t, int peer, unsigned handler, const void *header,
                         unsigned header_bytes, struct mpj_cursor *payload, MPJ_Count bytes,
                         mpj_am_complete_fn *sent, void *arg)
{
  (void)sent; /* the data has left when this returns */
  (void)arg;
  struct mpj_cells *c = cells_of(t);
  struct mpj_cells_peer *p = &c->peers[peer];
  struct mpj_cell *cell = free_cell(c, peer);
  unsigned slot;
  assert(header_bytes <= MPJ_AM_EAGER_HEADER_MAX && bytes <= c->net.eager_bytes);
  if (!cell) return MPJ_AM_AGAIN;
  if (!take_token(c, peer, &slot)) {
    if (p->mask == 0) {
      c->letters[peer].talks += ranks_a_core(c);
      mpj_inbox_unclaim(c, peer);
    }
    return MPJ_AM_AGAIN;
  }
  const uint32_t length = (uint32_t)bytes;
  unsigned char *at = slot < MPJ_POOL_AT ? mpj_segment_slot(c->segment, peer, p->out_ring, slot)
                                         : mpj_segment_pool(c->segment, peer, slot - MPJ_POOL_AT);
  mpj_slot_fill(c, p, payload, at, bytes);
  cell->handler = (uint8_t)handler;
  cell->bytes = (uint8_t)header_bytes;
  cell->slot = (uint8_t)slot;
  cell->marked = 0;
  if (header_bytes == MPJ_AM_MARK)
    mpj_copy_words(cell->body, header, MPJ_AM_MARK / sizeof(uint64_t));
  else if (header_bytes > 0)
    memcpy(cell->body, header, header_bytes);
  memcpy(cell->body + MPJ_CELL_LENGTH_AT, &length, sizeof length);
  mpj_ring_publish(c, peer, cell);
  fetch_next_slot(c, peer, bytes);
  return MPJ_SUCCESS;
}

/* Receiving */

static bool poll_peer(struct mpj_cells *c, int source)
{
  struct mpj_cells_peer *p = &c->peers[source];
  const uint32_t first = p->head, most = c->net.glances ? 1 : CELLS_PER_POLL;
  while (p->head - first < most && !c->net.enough) {
    struct mpj_cell *cell = &p->in[p->head % MPJ_RING_CELLS];
    if (atomic_load_explicit(&cell->turn, memory_order_acquire) != p->head + 1) break;
    struct mpj_cell copy;
    copy.handler = cell->handler;
    copy.bytes = cell->bytes;
    copy.slot = cell->slot;
    memcpy(copy.body, cell->body, sizeof copy.body);
    p->head++;
    p->in_a_row++;
    mpj_cells_receive(c, source, &copy);
  }
  if (p->head == first) return false;
  mpj_ring_have_read(c, source);
  return true;
}

static bool poll_ring(struct mpj_cells *c, int peer)
{
  bool moved = c->inbox && mpj_inbox_poll(c); /* which may have what comes before */
  if (!c->peers[peer].in) return moved;
  const struct mpj_cells_look *look = &c->looks[c->peers[peer].in_ring];
  return (atomic_load_explicit(look->turn, memory_order_relaxed) == look->next &&
          poll_peer(c, peer)) ||
         moved;
}

/* Every ring, up to one whose handler says that this is enough; the next pass goes on behind
 * it. */
static bool poll_rings(struct mpj_cells *c)
{
  const struct mpj_cells_look *const looks = c->looks;
  const int n = c->nlooks;
  bool moved = false;
  int ring = c->first;
  for (int left = c->net.enough ? 0 : n; left > 0; left--) {
    const int here = ring;
    if (++ring == n) ring = 0;
    if (atomic_load_explicit(looks[here].turn, memory_order_relaxed) != looks[here].next) continue;
    moved |= poll_peer(c, looks[here].peer);
    if (c->net.enough) break;
  }
  c->first = ring;
  return moved;
}

bool mpj_cells_poll(struct mpj_transport *t, int from)
{
  struct mpj_cells *c = cells_of(t);
  if (from != MPJ_NET_EVERYBODY) return poll_ring(c, from);
  bool moved = c->inbox && mpj_inbox_poll(c);
  moved |= poll_rings(c);
  if (c->open_list != MPJ_EXPOSURE_NONE) moved |= mpj_cells_poll_exposures(c);
  c->net.flows = c->poll_long && !c->net.asks && c->poll_long(c);
  c->net.asks = false;
  return moved || c->net.flows;
}

bool mpj_cells_have_mail(const struct mpj_cells *c)
{
  for (int ring = 0; ring < c->nlooks; ring++)
    if (atomic_load_explicit(c->looks[ring].turn, memory_order_relaxed) == c->looks[ring].next)
      return true;
  for (unsigned w = 0; c->inbox && w < MPJ_INBOX_WORDS; w++)
    if (atomic_load_explicit(&c->inbox->full[w], memory_order_relaxed) != 0) return true;
  return false;
}
