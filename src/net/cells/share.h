/* This header declares how the two sides of one long transfer divide it: the
 * bytes are cut into chunks, the receiver takes them from the front and pulls,
 * the owner takes them from the back and pushes, until they meet. Whoever is
 * late does less, and an owner that never polls does nothing.
 *
 * The word lies in the exposure's line of the segment (segment.h):
 *   generation << 43 | state << 41 | busy << 40 | back << 20 | front
 * Invariants: front <= back <= number of chunks; chunks before front are the
 * receiver's, those from back on the owner's; busy: the owner moves chunk `back`
 * right now, and nobody else's memory may be given up.
 *
 *   state  event                                 next
 *   FREE   receiver: begin                       SETUP
 *   SETUP  receiver: has written the offer       OPEN, front 0, back n
 *   OPEN   receiver: take_front                  OPEN, front + 1
 *   OPEN   owner: take_back                      OPEN, busy, back - 1
 *   OPEN   owner: give_back, moved               OPEN, not busy
 *   OPEN   owner: give_back, not moved           SETUP, not busy, back + 1: the
 *                                                receiver goes on alone
 *   SETUP  receiver: take_front                  SETUP, front + 1
 *   any    receiver: finish, all moved           FREE
 *   any    receiver: cancel, not busy            FREE
 *   OPEN   receiver: cancel, busy                OVER: ask again
 *   OVER   owner: give_back                      OVER, not busy
 *   any    owner: reopens the exposure           FREE, of the new generation
 *
 * All are lock-free. Nothing here trusts the other side: indices are clipped by
 * whoever uses them against its own sizes. */
#ifndef MPJ_SRC_NET_CELLS_SHARE_H
#define MPJ_SRC_NET_CELLS_SHARE_H

#include "net/cells/segment.h"

/* Bytes from which a transfer is worth two sides, where the ranks fit the cores and where they
 * do not. 4 ranks, 2 cores, Sapphire Rapids: a matrix of 128 MiB gathered by rows, by the root
 * alone 29 to 36 ms, by both sides 21 to 25 (mpj-bench coll, gather_rows_4096). 2 cores of a Zen 5,
 * by both and alone, us: Gather back to back, 4 ranks, 256 KiB 118 and 74, 512 KiB 178 and 174, 2
 * MiB 571 and 764; 16 ranks, 256 KiB 761 and 469, 1 MiB 2730 and 2620; Scatter of 1 MiB, 16 ranks,
 * 2940 and 1880. */
enum { MPJ_SHARE_LEAST = 49152, MPJ_SHARE_LEAST_CROWDED = 1 << 20 };
#define MPJ_SHARE_NEVER INT64_MAX

enum { MPJ_SHARE_CHUNKS_MOST = 1 << 20 };

/* What the receiver tells the owner. */
struct mpj_share_offer {
  uint64_t to;    /* where the first byte goes: an address in the receiver (shm), or of its
                     cursor (threads) */
  int64_t bytes;  /* of the transfer */
  int64_t row;    /* where it does not go to one dense stretch (shm): bytes of a row, else 0 */
  int64_t stride; /* bytes from one row to the next */
  uint32_t chunk; /* bytes of a chunk; the last one may be shorter */
  int32_t rank;   /* the receiver */
};

/* Bytes of a chunk for a transfer, or 0 where it is not worth two sides. */
uint32_t mpj_share_chunk(int64_t bytes);

/* Owner: forget what was shared under an earlier generation. */
void mpj_share_reset(struct mpj_exposure *e, uint32_t generation);

/* Receiver, while it counts as a reader of the exposure (so that this comes to an end
 * before the owner exposes anything else under that number): offer the work; false if
 * another pull of that exposure shares, or it is of another generation. On true mpj_share_finish or
 * mpj_share_cancel must follow until it says true, or the exposure is found closed. */
bool mpj_share_begin(struct mpj_exposure *e, uint32_t generation,
                     const struct mpj_share_offer *offer);

/* Receiver: take the next chunk from the front; false if none is left. */
bool mpj_share_take_front(struct mpj_exposure *e, uint32_t generation, uint32_t *chunk);

/* Receiver: whether every chunk has been taken and moved; then all is over. */
bool mpj_share_finish(struct mpj_exposure *e, uint32_t generation);

/* Receiver: take no more, let the owner take no more. True once the owner is
 * through with what it has, or has opened anew; until then call it again. */
bool mpj_share_cancel(struct mpj_exposure *e, uint32_t generation);

/* Owner: whether there is something to take; cheap. */
bool mpj_share_is_open(const struct mpj_exposure *e);

/* Owner: take the last chunk that is left, with a copy of the offer. On true
 * mpj_share_give_back must follow: moved says whether the data is in place. */
bool mpj_share_take_back(struct mpj_exposure *e, uint32_t generation, uint32_t *chunk,
                         struct mpj_share_offer *offer);
void mpj_share_give_back(struct mpj_exposure *e, uint32_t generation, bool moved);

#endif
