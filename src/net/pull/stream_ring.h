/* This header declares the ring of pieces through which long data streams between two processes: a
 * stream of one receiver, in the segment, which it lends to one pull at a time. The owner of the
 * data fills pieces, the receiver empties them; both may be at work at once, and neither waits.
 *
 * The word is  generation << 32 | closed << 31 | busy << 30.  The owner's count is  generation <<
 * 32 | filled,  the receiver's the number of pieces that it has emptied. Who waits for a count
 * looks at that line alone, so that a locked instruction on the word does not wait for it.
 *
 *   state           event                                     next
 *   closed          receiver: open                            open, of a new generation, filled 0
 *   open            owner: claim                              busy: it writes piece `filled`
 *   busy            owner: publish                            busy, filled + 1
 *   busy            owner: release                            open
 *   open            receiver: close                           closed: the ring is its own again
 *   busy            receiver: close                           closed and busy: ask again
 *   closed, busy    owner: publish, and release               closed, filled + 1
 *   closed, busy    receiver: all pieces have come, open      open, of a new generation, filled 0
 *   closed, busy    receiver: finds the owner dead            the ring is its own again
 *
 * Invariants: emptied <= filled <= emptied + pieces; pieces emptied .. filled - 1 are the
 * receiver's, piece `filled` is the owner's while busy, the others nobody's. An owner is busy only
 * within a poll; after its last piece it writes no more, and releases its own generation alone. All
 * are lock-free; nothing here trusts the other side: who uses a count checks
 * it against its own. */
#ifndef MPJ_SRC_NET_PULL_STREAM_RING_H
#define MPJ_SRC_NET_PULL_STREAM_RING_H

#include "net/cells/segment.h"

/* Receiver: lend a closed ring, anew; returns the generation. */
uint32_t mpj_stream_open(struct mpj_stream *s);

/* Receiver: how many pieces have been filled. False: the count is not of that generation. */
static inline bool mpj_stream_filled(const struct mpj_stream *s, uint32_t generation,
                                     uint32_t *filled)
{
  const uint64_t count = atomic_load_explicit(&s->filled, memory_order_acquire);
  *filled = (uint32_t)count & MPJ_STREAM_COUNT;
  return count >> 32 == generation;
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

/* Owner: begin to write pieces; false: the ring is closed, or of another generation. On true
 * mpj_stream_release must follow. */
bool mpj_stream_claim(struct mpj_stream *s, uint32_t generation);

/* Owner: `filled` pieces are written. False: the ring is closed, and no more are to be. */
static inline bool mpj_stream_publish(struct mpj_stream *s, uint32_t generation, uint32_t filled)
{
  atomic_store_explicit(&s->filled, (uint64_t)generation << 32 | (filled & MPJ_STREAM_COUNT),
                        memory_order_release);
  return mpj_stream_is_open(s, generation);
}

/* Owner: write no more for now. */
void mpj_stream_release(struct mpj_stream *s, uint32_t generation);

#endif
