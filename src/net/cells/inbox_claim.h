/* This header declares how cells of an inbox are claimed, published and polled. */
#ifndef MPJ_SRC_NET_CELLS_INBOX_CLAIM_H
#define MPJ_SRC_NET_CELLS_INBOX_CLAIM_H

#include "net/cells/inbox.h"

/* Senders. Have a cell at the peer for the next message: peers[peer].out, `left` 1. False: there
 * is none now. */
bool mpj_inbox_claim(struct mpj_cells *cells, int peer);
/* Give it back unused; publish the message in it. */
void mpj_inbox_unclaim(struct mpj_cells *cells, int peer);
void mpj_inbox_publish(struct mpj_cells *cells, int peer, struct mpj_cell *cell);

/* The receiver. Whether a poll of the inbox may find something. */
static inline bool mpj_inbox_has_news(const struct mpj_cells *cells)
{
  uint64_t any = 0;
  for (unsigned w = 0; w < MPJ_INBOX_WORDS; w++)
    any |= cells->held[w] | atomic_load_explicit(&cells->inbox->full[w], memory_order_relaxed);
  return any != 0;
}
/* Run the handlers of what has come; whether anything has. */
bool mpj_inbox_poll(struct mpj_cells *cells);

#endif
