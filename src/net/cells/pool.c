/* This file gives out the slots of the pools that go with inboxes. */
#include "net/cells/inbox.h"

bool mpj_inbox_claim_slot(struct mpj_cells *c, int peer, unsigned *slot)
{
  struct mpj_cells_letters *p = &c->letters[peer];
  struct mpj_inbox *in = mpj_segment_inbox(c->segment, peer);
  const int most = MPJ_POOL_SLOTS / 2;
  for (uint64_t left = p->pool; left != 0 && __builtin_popcountll(p->pool) >= most;
       left &= left - 1) {
    const uint32_t claim =
        atomic_load_explicit(&in->slot[__builtin_ctzll(left)], memory_order_relaxed);
    if (mpj_claim_rank(claim) != c->rank) p->pool &= ~(left & -left);
  }
  if (__builtin_popcountll(p->pool) >= most) return false;
  const unsigned start = (unsigned)c->rank * 37; /* its own, whose page it has touched, if free */
  for (unsigned k = 0; k < MPJ_POOL_SLOTS; k++) {
    const unsigned i = (start + k) % MPJ_POOL_SLOTS;
    if (!mpj_claim_take(&in->slot[i], c->rank)) continue;
    p->pool |= UINT64_C(1) << i;
    *slot = i;
    return true;
  }
  return false;
}

bool mpj_inbox_take_slot(struct mpj_cells *c, int source, unsigned slot)
{
  _Atomic uint32_t *claim = slot < MPJ_POOL_SLOTS && c->inbox ? &c->inbox->slot[slot] : NULL;
  if (!claim || atomic_load_explicit(claim, memory_order_relaxed) != mpj_claim_of(source))
    return false;
  atomic_store_explicit(claim, mpj_claim_of(source) | 1, memory_order_relaxed);
  return true;
}

void mpj_inbox_free_slot(struct mpj_cells *c, unsigned slot)
{
  atomic_store_explicit(&c->inbox->slot[slot], 0, memory_order_release);
}
