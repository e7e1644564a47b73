/* This header declares inboxes, by which ranks without a ring send to each other, and how rings are
 * given and taken back.
 *
 * A rank has one inbox for all its senders. A message goes through these states of a cell's claim:
 *   state      event                                                     next
 *   free       a sender finds it, and sets its number by an atomic       claimed
 *   claimed    it has written the message                                full
 *   claimed    it is gone                                                free
 *   full       the receiver has copied the message, whose place in the
 *              sequence of its sender is the next one                    free
 * Whoever has made a cell full sets its bit, and the receiver looks at cells whose bit was set: not
 * in the order of senders, and at no cell that is only claimed. So a sender that is stopped or dies
 * in the middle delays nobody. A sender has MPJ_INBOX_EACH cells at a time.
 *
 * Cell 0 is for who has found no other: it says that it waits, and has its turn after those who
 * wait before it in the circle of ranks. Each of the others gets a cell twice at most meanwhile
 * (spec/models/inbox.pml). Who is gone or stopped while it has the turn loses it.
 *
 * A slot of the pool has the same states; the receiver frees it when the payload is done with. Who
 * finds none advertises its data. A sender that holds any leaves about half of them to those that
 * hold none, and has about a quarter at most (pool.c).
 *
 * A ring, as its receiver sees it:
 *   owner      event                                                     next
 *   nobody     a sender that sends often claims it, prepares it, and
 *              sets its bit of `rings`                                   that sender
 *   a sender   the receiver wants it back for others, and says so        the same, wanted
 *   wanted     it is empty, and the sender sets its bit                  nobody
 *   wanted     it is in use after all                                    the same, not wanted
 * That of a rank that is gone stays its own: payloads may lie in its slots.
 * A sender's messages are numbered in one sequence, wherever they lie, and are taken in its order:
 * the first one of a ring waits for the last one of the inbox. */
#ifndef MPJ_SRC_NET_CELLS_INBOX_H
#define MPJ_SRC_NET_CELLS_INBOX_H

#include "net/cells/cells.h"

/* A claim's number, and the rank that it names: one that does not exist, perhaps. */
static inline uint32_t mpj_claim_of(int rank)
{
  return ((uint32_t)rank + 1) * 2;
}
static inline int64_t mpj_claim_rank(uint32_t claim)
{
  return (int64_t)(claim / 2) - 1;
}
static inline bool mpj_claim_is_full(uint32_t claim)
{
  return claim % 2 != 0;
}
/* Take what is free; whether it was. */
static inline bool mpj_claim_take(_Atomic uint32_t *claim, int rank)
{
  uint32_t nobody = 0;
  return atomic_load_explicit(claim, memory_order_relaxed) == 0 &&
         atomic_compare_exchange_strong_explicit(claim, &nobody, mpj_claim_of(rank),
                                                 memory_order_acquire, memory_order_relaxed);
}

/* Have a slot of the peer's pool; false: there is none for this rank now. */
bool mpj_inbox_claim_slot(struct mpj_cells *cells, int peer, unsigned *slot);

/* Whether `slot` of the own pool holds a payload of source, that has not been taken in: it is then
 * taken in, and has to be freed. */
bool mpj_inbox_take_slot(struct mpj_cells *cells, int source, unsigned slot);
void mpj_inbox_free_slot(struct mpj_cells *cells, unsigned slot);

/* Rings (rings.c). A sender that has none at the peer: claim one; whether it has. */
bool mpj_rings_claim(struct mpj_cells *cells, int peer);
/* Of those that this rank has at others, give back what is wanted and empty. */
void mpj_rings_give_back(struct mpj_cells *cells);
/* The receiver: the owners of the rings of these bits have changed. */
void mpj_rings_look(struct mpj_cells *cells, uint32_t changed);
/* Somebody is short of rings: ask for one back that is not used. */
void mpj_rings_recall(struct mpj_cells *cells);

#endif
