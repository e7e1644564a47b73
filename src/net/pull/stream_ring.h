/* This header declares the ring of pieces through which long data streams between two processes: a
 * stream of one receiver, in the segment, which it lends to one pull at a time. The owner of the
 * data fills pieces, the receiver empties them; both may be at work at once, and neither waits.
 *
 * The owner's word is  generation << 32 | closed << 31 | busy << 30 | filled.  The receiver's is
 * the number of pieces that it has emptied.
 *
 *   state           event                                     next
 *   closed          receiver: open                            open, of a new generation, filled 0
 *   open            owner: claim                              busy: it writes piece `filled`
 *   busy            owner: publish, and go on                 busy, filled + 1
 *   busy            owner: publish, and stop                  open, filled + 1
 *   open            receiver: close                           closed: the ring is its own again
 *   busy            receiver: close                           closed and busy: ask again
 *   closed, busy    owner: publish                            closed, filled + 1
 *   closed, busy    receiver: finds the owner dead            the ring is its own again
 *
 * Invariants: emptied <= filled <= emptied + pieces; pieces emptied .. filled - 1 are the
 * receiver's, piece `filled` is the owner's while busy, the others nobody's. An owner is busy only
 * within a poll. All are lock-free; nothing here trusts the other side: who uses a count checks
 * it against its own. */
#ifndef MPJ_SRC_NET_PULL_STREAM_RING_H
#define MPJ_SRC_NET_PULL_STREAM_RING_H

#include "net/cells/segment.h"

/* Receiver: lend a closed ring, anew; returns the generation. */
uint32_t mpj_stream_open(struct mpj_stream *s);

/* Receiver: how many pieces have been filled. False: the word is not of that generation. */
static inline bool mpj_stream_filled(const struct mpj_stream *s, uint32_t generation,
                                     uint32_t *filled)
{
  const uint64_t word = atomic_load_explicit(&s->word, memory_order_acquire);
  *filled = (uint32_t)word & MPJ_STREAM_COUNT;
  return word >> 32 == generation;
}

/* Receiver: so many pieces have been emptied. */
static inline void mpj_stream_empty(struct mpj_stream *s, uint32_t emptied)
{
  atomic_store_explicit(&s->emptied, emptied, memory_order_release);
}

/* Receiver: let the owner fill no more. Whether it is through with what it had begun. */
bool mpj_stream_close(struct mpj_stream *s, uint32_t generation);

/* Owner: whether that generation is open. */
bool mpj_stream_is_open(const struct mpj_stream *s, uint32_t generation);

/* Owner: whether there is room for piece `filled` in a ring of `pieces`. */
static inline bool mpj_stream_has_room(const struct mpj_stream *s, uint32_t filled, uint32_t pieces)
{
  const uint32_t emptied = atomic_load_explicit(&s->emptied, memory_order_acquire);
  return ((filled - emptied) & MPJ_STREAM_COUNT) < pieces;
}

/* Owner: begin to write piece `filled`; false: the ring is closed, or of another generation. On
 * true mpj_stream_publish must follow. */
bool mpj_stream_claim(struct mpj_stream *s, uint32_t generation, uint32_t filled);

/* Owner: the piece is written. `more`: the next one is claimed as well; whether it is. */
bool mpj_stream_publish(struct mpj_stream *s, bool more);

#endif
