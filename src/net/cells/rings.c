/* This file gives the rings of a rank to those who send it much, and takes them back. */
#include "net/cells/inbox.h"
#include "net/cells/ring.h"

/* The sender */

/* As if all before the next message had passed through it: no cell looks like one to come. */
static void prepare(struct mpj_cells *c, struct mpj_cells_peer *p, int peer, int ring)
{
  p->out = mpj_segment_ring(c->segment, peer, ring);
  p->out_pair = mpj_segment_pair(c->segment, peer, ring);
  p->out_ring = (uint8_t)ring;
  p->mask = MPJ_RING_CELLS - 1;
  p->left = MPJ_RING_CELLS;
  p->tokens = p->all = mpj_cells_all_tokens(c);
  for (uint32_t at = p->tail - MPJ_RING_CELLS; at != p->tail; at++)
    atomic_store_explicit(&p->out[at % MPJ_RING_CELLS].turn, at + 1, memory_order_relaxed);
  atomic_store_explicit(&p->out_pair->consumed, p->tail, memory_order_relaxed);
  atomic_store_explicit(&p->out_pair->returned, 0, memory_order_relaxed);
  atomic_store_explicit(&p->out_pair->wanted, 0, memory_order_relaxed);
}

static void tell(struct mpj_cells *c, int peer, int ring)
{
  atomic_fetch_or(&mpj_segment_inbox(c->segment, peer)->rings, UINT32_C(1) << ring);
}

bool mpj_rings_claim(struct mpj_cells *c, int peer)
{
  for (int ring = 0; ring < c->segment->config.rings; ring++) {
    _Atomic uint32_t *owner = &mpj_segment_pair(c->segment, peer, ring)->owner;
    uint32_t nobody = 0;
    if (atomic_load_explicit(owner, memory_order_relaxed) != 0 ||
        !atomic_compare_exchange_strong(owner, &nobody, mpj_claim_of(c->rank)))
      continue;
    prepare(c, &c->peers[peer], peer, ring);
    atomic_store_explicit(owner, mpj_claim_of(c->rank) | 1, memory_order_release);
    tell(c, peer, ring);
    return true;
  }
  if (c->segment->config.rings > 0)
    atomic_store_explicit(&mpj_segment_inbox(c->segment, peer)->short_of_rings, 1,
                          memory_order_relaxed);
  return false;
}

/* Unless it is not wanted, or in use after all. */
static void give_back(struct mpj_cells *c, int peer)
{
  struct mpj_cells_peer *p = &c->peers[peer];
  if (atomic_exchange(&p->out_pair->wanted, 0) == 0) return;
  p->tokens |= atomic_exchange_explicit(&p->out_pair->returned, 0, memory_order_acquire) & p->all;
  if (atomic_load_explicit(&p->out_pair->consumed, memory_order_acquire) != p->tail ||
      p->tokens != p->all)
    return;
  const int ring = p->out_ring;
  atomic_store_explicit(&p->out_pair->owner, mpj_claim_of(c->rank), memory_order_release);
  p->out = NULL;
  p->out_pair = NULL;
  p->mask = p->left = p->talks = p->tokens = p->all = 0;
  tell(c, peer, ring);
}

void mpj_rings_give_back(struct mpj_cells *c)
{
  atomic_store(&c->inbox->recall, 0);
  for (int peer = 0; peer < c->nranks; peer++)
    if (c->peers[peer].out_pair) give_back(c, peer);
}

/* The receiver */

static void unhook(struct mpj_cells *c, int ring)
{
  struct mpj_cells_look *look = &c->looks[ring];
  if (look->peer < 0) return;
  c->peers[look->peer].in = NULL;
  c->peers[look->peer].in_pair = NULL;
  look->peer = -1;
  look->turn = &c->never;
  look->next = UINT32_MAX;
}

static void hook(struct mpj_cells *c, int ring, int sender)
{
  struct mpj_cells_peer *p = mpj_cells_meet(c, sender);
  if (p->in) return; /* one is enough */
  p->in = mpj_segment_ring(c->segment, c->rank, ring);
  p->in_pair = mpj_segment_pair(c->segment, c->rank, ring);
  p->in_ring = (uint8_t)ring;
  c->looks[ring].peer = sender;
  c->heard[ring] = p->head;
  mpj_cells_look_for(c, sender);
}

/* An owner whose number is not full has given its ring back, or is still preparing it. Who has
 * given one back may have got another since. */
void mpj_rings_look(struct mpj_cells *c, uint32_t changed)
{
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t left = changed; left != 0; left &= left - 1) {
      const int ring = __builtin_ctz(left);
      if (ring >= c->segment->config.rings) break;
      _Atomic uint32_t *word = &mpj_segment_pair(c->segment, c->rank, ring)->owner;
      uint32_t owner = atomic_load_explicit(word, memory_order_acquire);
      const int64_t sender = mpj_claim_rank(owner);
      if (owner == 0 || sender >= c->nranks || sender == c->rank) continue;
      if (pass == 0 && !mpj_claim_is_full(owner) && c->looks[ring].peer == sender) {
        unhook(c, ring);
        atomic_compare_exchange_strong(word, &owner, 0);
      }
      if (pass == 1 && mpj_claim_is_full(owner) && c->looks[ring].peer < 0)
        hook(c, ring, (int)sender);
    }
}

/* One through which nothing has come since the last time that somebody was short of rings; not more
 * often than every RECALL_POLLS polls. */
void mpj_rings_recall(struct mpj_cells *c)
{
  enum { RECALL_POLLS = 4096 };
  if (c->recall_in-- > 0) return;
  c->recall_in = RECALL_POLLS;
  atomic_store_explicit(&c->inbox->short_of_rings, 0, memory_order_relaxed);
  for (int ring = 0; ring < c->segment->config.rings; ring++) {
    const struct mpj_cells_look *look = &c->looks[ring];
    if (look->peer < 0) continue;
    const struct mpj_cells_peer *p = &c->peers[look->peer];
    if (c->heard[ring] == p->head) {
      atomic_store_explicit(&p->in_pair->wanted, 1, memory_order_relaxed);
      atomic_store(&mpj_segment_inbox(c->segment, look->peer)->recall, 1);
      mpj_segment_wake(c->segment, look->peer);
      c->heard[ring] = p->head - 1;
      return;
    }
    c->heard[ring] = p->head;
  }
}
