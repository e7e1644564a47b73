/* This file sends and receives by inboxes. */
#include "net/cells/inbox_claim.h"

#include <string.h>

#include "base/status.h"
#include "net/cells/ring.h"

static bool is_gone(struct mpj_cells *c, int64_t rank)
{
  return rank < 0 || rank >= c->nranks ||
         mpj_cells_peer_state(&c->head, (int)rank, NULL) >= MPJ_RANK_FINALIZED;
}

/* Waiting for cell 0: each who waits has its bit set, and `turn` names who gets it, plus 1. */

/* The next one who waits behind `rank`, in the circle of ranks, plus 1; 0: nobody does. */
static uint32_t next_waiting(struct mpj_cells *c, int peer, int rank)
{
  const _Atomic uint64_t *waiting = mpj_segment_waiting(c->segment, peer);
  for (int k = 1; k <= c->nranks; k++) {
    const unsigned i = (unsigned)((rank + k) % c->nranks);
    const uint64_t word = atomic_load_explicit(&waiting[i / 64], memory_order_relaxed) >> i % 64;
    if (word & 1) return i + 1;
    if (word == 0 && 63 - i % 64 < (unsigned)(c->nranks - 1) - i) k += (int)(63 - i % 64);
  }
  return 0;
}

/* Who is gone, or stopped, and has the turn, loses it. */
static bool has_turn(struct mpj_cells *c, int peer, struct mpj_inbox *in)
{
  enum { PATIENCE = 4096 };
  const uint32_t mine = (uint32_t)c->rank + 1;
  _Atomic uint64_t *waiting = &mpj_segment_waiting(c->segment, peer)[c->rank / 64];
  if (!(atomic_load_explicit(waiting, memory_order_relaxed) >> c->rank % 64 & 1))
    atomic_fetch_or(waiting, UINT64_C(1) << c->rank % 64);
  uint32_t turn = atomic_load(&in->turn);
  if (turn == mine) return true;
  if (turn == 0) return atomic_compare_exchange_strong(&in->turn, &turn, mine);
  const bool gone = is_gone(c, (int64_t)turn - 1);
  if (!gone && ++c->vain_turns < PATIENCE) return false;
  c->vain_turns = 0;
  if (gone && turn <= (uint32_t)c->nranks)
    atomic_fetch_and(&mpj_segment_waiting(c->segment, peer)[(turn - 1) / 64],
                     ~(UINT64_C(1) << (turn - 1) % 64));
  atomic_compare_exchange_strong(&in->turn, &turn,
                                 next_waiting(c, peer, (int)((turn - 1) % (uint32_t)c->nranks)));
  return false;
}

/* This rank has got a cell: whoever is next has the turn, if it was its own. */
static void served(struct mpj_cells *c, int peer, struct mpj_inbox *in)
{
  _Atomic uint64_t *waiting = &mpj_segment_waiting(c->segment, peer)[c->rank / 64];
  uint32_t turn = (uint32_t)c->rank + 1;
  if (!(atomic_load_explicit(waiting, memory_order_relaxed) >> c->rank % 64 & 1)) return;
  atomic_fetch_and(waiting, ~(UINT64_C(1) << c->rank % 64));
  if (atomic_load(&in->turn) == turn)
    atomic_compare_exchange_strong(&in->turn, &turn, next_waiting(c, peer, c->rank));
}

/* Cells */

/* One of the sender's places for cells that it has filled and that have not been taken; NULL: all
 * are in use. */
static uint8_t *free_place(struct mpj_cells *c, struct mpj_inbox *in, struct mpj_cells_letters *p)
{
  uint8_t *place = NULL;
  for (unsigned i = 0; i < MPJ_INBOX_EACH; i++) {
    const unsigned cell = p->mine[i];
    if (cell > 0 && atomic_load_explicit(&in->claim[cell - 1], memory_order_relaxed) !=
                        (mpj_claim_of(c->rank) | 1))
      p->mine[i] = 0;
    if (p->mine[i] == 0) place = &p->mine[i];
  }
  return place;
}

/* A cell but the first, from one on that differs from sender to sender; 0: none is free. */
static unsigned find_cell(const struct mpj_cells *c, struct mpj_inbox *in, uint32_t tail)
{
  const unsigned start = (unsigned)c->rank * 37 + tail;
  for (unsigned k = 0; k < MPJ_INBOX_CELLS; k++) {
    const unsigned cell = (start + k) % MPJ_INBOX_CELLS;
    if (cell != 0 && mpj_claim_take(&in->claim[cell], c->rank)) return cell;
  }
  return 0;
}

bool mpj_inbox_claim(struct mpj_cells *c, int peer)
{
  struct mpj_cells_peer *p = &c->peers[peer];
  struct mpj_inbox *in = mpj_segment_inbox(c->segment, peer);
  uint8_t *place = free_place(c, in, &c->letters[peer]);
  if (!place) return false;
  unsigned cell = find_cell(c, in, p->tail);
  if (cell == 0 && !(has_turn(c, peer, in) && mpj_claim_take(&in->claim[0], c->rank))) return false;
  served(c, peer, in);
  *place = (uint8_t)(cell + 1);
  p->out = &in->cell[cell];
  p->left = 1;
  return true;
}

void mpj_inbox_unclaim(struct mpj_cells *c, int peer)
{
  struct mpj_cells_peer *p = &c->peers[peer];
  struct mpj_inbox *in = mpj_segment_inbox(c->segment, peer);
  atomic_store_explicit(&in->claim[p->out - in->cell], 0, memory_order_release);
  p->left = 0;
}

void mpj_inbox_publish(struct mpj_cells *c, int peer, struct mpj_cell *cell)
{
  struct mpj_cells_peer *p = &c->peers[peer];
  struct mpj_inbox *in = mpj_segment_inbox(c->segment, peer);
  const size_t i = (size_t)(cell - in->cell);
  atomic_store_explicit(&cell->turn, ++p->tail, memory_order_relaxed);
  atomic_store_explicit(&in->claim[i], mpj_claim_of(c->rank) | 1, memory_order_release);
  atomic_fetch_or(&in->full[i / 64], UINT64_C(1) << (i % 64));
  c->letters[peer].talks++;
  mpj_segment_wake(c->segment, peer);
}

/* Receiving */

static void free_cell(struct mpj_cells *c, unsigned i)
{
  c->held[i / 64] &= ~(UINT64_C(1) << (i % 64));
  atomic_store_explicit(&c->inbox->claim[i], 0, memory_order_release);
}

/* A full cell whose sender has none, or whose place no message of it can have now. */
static bool drop(struct mpj_cells *c, unsigned i, int64_t source)
{
  free_cell(c, i);
  mpj_warn("rank %d dropped a malformed message from rank %lld", c->rank, (long long)source);
  return true;
}

/* Take the message of a cell, if it is its sender's next; whether anything has happened. */
static bool take_cell(struct mpj_cells *c, unsigned i)
{
  const uint32_t claim = atomic_load_explicit(&c->inbox->claim[i], memory_order_acquire);
  const int64_t source = mpj_claim_rank(claim);
  if (!mpj_claim_is_full(claim)) { /* a bit that no sender of ours has set */
    c->held[i / 64] &= ~(UINT64_C(1) << (i % 64));
    return false;
  }
  if (source < 0 || source >= c->nranks || source == c->rank) return drop(c, i, source);
  struct mpj_cells_peer *p = mpj_cells_meet(c, (int)source);
  struct mpj_cell copy;
  memcpy(&copy, &c->inbox->cell[i], sizeof copy);
  const uint32_t ahead = atomic_load_explicit(&copy.turn, memory_order_relaxed) - 1 - p->head;
  if (ahead >= MPJ_INBOX_EACH) return drop(c, i, source);
  if (ahead > 0) return false; /* an earlier one is here, and its bit will be seen */
  p->head++;
  free_cell(c, i);
  if (p->in) mpj_cells_look_for(c, (int)source);
  mpj_cells_receive(c, (int)source, &copy);
  return true;
}

static bool gather(struct mpj_cells *c)
{
  uint64_t any = 0;
  for (unsigned w = 0; w < MPJ_INBOX_WORDS; w++) {
    if (atomic_load_explicit(&c->inbox->full[w], memory_order_relaxed) != 0)
      c->held[w] |= atomic_exchange_explicit(&c->inbox->full[w], 0, memory_order_acquire);
    any |= c->held[w];
  }
  return any != 0;
}

/* Every cell that is held, once, from one on that moves. */
static bool take_held(struct mpj_cells *c)
{
  bool moved = false;
  for (unsigned k = 0; k < MPJ_INBOX_CELLS && !c->net.enough; k++) {
    const unsigned i = (c->first_cell + k) % MPJ_INBOX_CELLS;
    if (c->held[i / 64] >> (i % 64) & 1) moved |= take_cell(c, i);
  }
  c->first_cell = (c->first_cell + 1) % MPJ_INBOX_CELLS;
  return moved;
}

/* Ranks are gone: take what they have sent, and free what they had claimed. */
static void reap(struct mpj_cells *c)
{
  struct mpj_inbox *in = c->inbox;
  for (unsigned i = 0; i < MPJ_INBOX_CELLS; i++) {
    uint32_t claim = atomic_load(&in->claim[i]);
    if (claim == 0 || !is_gone(c, mpj_claim_rank(claim))) continue;
    if (mpj_claim_is_full(claim))
      c->held[i / 64] |= UINT64_C(1) << (i % 64);
    else
      atomic_compare_exchange_strong(&in->claim[i], &claim, 0);
  }
  while (take_held(c) && !c->net.enough)
    ;
  c->reaps = c->net.enough;
  if (c->reaps) return;                           /* later, when the rest has been taken */
  for (unsigned i = 0; i < MPJ_POOL_SLOTS; i++) { /* all messages are in: these have none */
    uint32_t claim = atomic_load(&in->slot[i]);
    if (claim != 0 && !mpj_claim_is_full(claim) && is_gone(c, mpj_claim_rank(claim)))
      atomic_compare_exchange_strong(&in->slot[i], &claim, 0);
  }
}

/* What is rare. */
static MPJ_ASIDE void look_at_rings(struct mpj_cells *c)
{
  struct mpj_inbox *in = c->inbox;
  mpj_rings_look(c, atomic_exchange(&in->rings, 0));
  if (atomic_load_explicit(&in->recall, memory_order_relaxed) != 0) mpj_rings_give_back(c);
  if (atomic_load_explicit(&in->short_of_rings, memory_order_relaxed) != 0) mpj_rings_recall(c);
}

bool mpj_inbox_poll(struct mpj_cells *c)
{
  struct mpj_inbox *in = c->inbox;
  const uint32_t changes = atomic_load_explicit(&c->segment->changes, memory_order_relaxed);
  if ((atomic_load_explicit(&in->rings, memory_order_relaxed) |
       atomic_load_explicit(&in->recall, memory_order_relaxed) |
       atomic_load_explicit(&in->short_of_rings, memory_order_relaxed)) != 0)
    look_at_rings(c);
  bool moved = false;
  while (!c->net.enough && gather(c) && take_held(c))
    moved = true;
  if (changes != c->changes_seen || c->reaps) {
    c->changes_seen = changes;
    reap(c);
  }
  return moved;
}
