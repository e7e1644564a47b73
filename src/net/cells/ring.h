/* This header has the two ends of a ring of cells: the next one to write, and what follows when
 * one has been written or read. */
#ifndef MPJ_SRC_NET_CELLS_RING_H
#define MPJ_SRC_NET_CELLS_RING_H

#include "base/hot.h"
#include "net/cells/cells_poll.h"
#include "net/cells/inbox.h"
#include "net/cells/inbox_claim.h"

/* A store to a line that the peer's core holds waits for it to come over, about 0.1 us. So each
 * send asks for the line of the send after the next, which the peer is not looking at yet: to write
 * it, if messages go this way alone. Where they go both ways that would stand before the line that
 * is waited for. */
enum { MPJ_RING_AHEAD = 2, MPJ_RING_IN_A_ROW = 2 };

/* Publish a cell that has been filled, and wake its reader if it sleeps. */
static inline void mpj_ring_publish(struct mpj_cells *c, int peer, struct mpj_cell *cell)
{
  struct mpj_cells_peer *p = &c->peers[peer];
  const bool one_way = p->in_a_row == 0; /* nothing has been read since the last send */
  p->in_a_row = 0;
  p->left--;
  if (p->mask == 0) {
    mpj_inbox_publish(c, peer, cell);
    return;
  }
  if (c->light_fence) {
    atomic_store_explicit(&cell->turn, ++p->tail, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst);
  } else {
    atomic_store_explicit(&cell->turn, ++p->tail, memory_order_seq_cst);
  }
  const struct mpj_cell *ahead = &p->out[(p->tail + MPJ_RING_AHEAD - 1) % MPJ_RING_CELLS];
  if (one_way)
    mpj_prefetch_to_write(ahead);
  else
    __builtin_prefetch(ahead, 1);
  mpj_segment_wake(c->segment, peer);
}

/* Cells that a peer sends one after another, faster than they are read, are there before
 * they are looked at. A look at one that is not would take its line from the peer. */
static inline void mpj_ring_look_ahead(struct mpj_cells *c, struct mpj_cells_peer *p)
{
  if (!c->waited && p->in_a_row >= MPJ_RING_IN_A_ROW)
    for (uint32_t i = 0; i < MPJ_RING_AHEAD; i++)
      __builtin_prefetch(&p->in[(p->head + i) % MPJ_RING_CELLS]);
  c->waited = false;
}

/* Cells of the peer have been read: peers[peer].head says how many. */
static inline void mpj_ring_have_read(struct mpj_cells *c, int peer)
{
  struct mpj_cells_peer *p = &c->peers[peer];
  mpj_ring_look_ahead(c, p);
  mpj_cells_look_for(c, peer);
  atomic_store_explicit(&p->in_pair->consumed, p->head, memory_order_release);
}

#endif
