/* This file gives out the slots of the pools that go with inboxes. */
#include "net/cells/inbox.h"

/* How many slots this rank holds at the peer. */
static int count_held(const struct mpj_cells *c, struct mpj_inbox *in, struct mpj_cells_letters *p)
{
  for (uint64_t left = p->pool; left != 0; left &= left - 1) {
    const uint32_t claim =
        atomic_load_explicit(&in->slot[__builtin_ctzll(left)], memory_order_relaxed);
    if (mpj_claim_rank(claim) != c->rank) p->pool &= ~(left & -left);
  }
  return __builtin_popcountll(p->pool);
}

static int count_free(struct mpj_inbox *in)
{
  int n = 0;
  for (unsigned i = 0; i < MPJ_POOL_SLOTS; i++)
    n += atomic_load_explicit(&in->slot[i], memory_order_relaxed) == 0;
  return n;
}

/* Whether a sender that holds so many may have another one. Where ranks share cores one sends all
 * that it can before the next one has its turn: so half of the slots are for those who hold none,
 * and beyond a few a sender has only what is left of a quarter. */
static bool may_have_more(struct mpj_inbox *in, int held)
{
  if (held == 0) return true;
  const int kept = held < MPJ_INBOX_EACH ? MPJ_POOL_SLOTS / 2 : MPJ_POOL_SLOTS * 3 / 4;
  return count_free(in) > kept;
}

bool mpj_inbox_claim_slot(struct mpj_cells *c, int peer, unsigned *slot)
{
  struct mpj_cells_letters *p = &c->letters[peer];
  struct mpj_inbox *in = mpj_segment_inbox(c->segment, peer);
  if (!may_have_more(in, count_held(c, in, p))) return false;
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
