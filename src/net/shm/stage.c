/* This file packs pieces of long data into this rank's stage, where receivers unpack them.
 *
 * Pieces are used in turn, so that one is written again only when the others have been:
 * by then it has left the cache of who read it. To write at once what another core has
 * just read takes three times as long (mpj-bench am, layout_256_1048576). */
#include <assert.h>

#include "net/shm/state.h"

/* Whether a piece may be filled: its reader is through, or gone. */
static bool is_free(struct mpj_shm *shm, unsigned piece)
{
  struct mpj_cells *c = &shm->cells;
  const struct mpj_stage_word *word = mpj_segment_stage_word(c->segment, c->rank, piece);
  if (atomic_load_explicit(&word->filled, memory_order_acquire) == 0) return true;
  return mpj_cells_peer_state(&c->head, shm->stage_of[piece], NULL) >= MPJ_RANK_FINALIZED;
}

/* The next piece if it is free, or after a while any free one; or MPJ_STAGE_PIECES. */
static unsigned find_piece(struct mpj_shm *shm, unsigned waits)
{
  enum { PATIENCE = 64 };
  for (unsigned i = 0; i < (waits < PATIENCE ? 1 : MPJ_STAGE_PIECES); i++) {
    const unsigned piece = (shm->stage_next + i) % MPJ_STAGE_PIECES;
    if (is_free(shm, piece)) return piece;
  }
  return MPJ_STAGE_PIECES;
}

int mpj_shm_stage_send(struct mpj_shm *shm, const struct mpj_shm_serve *s,
                       struct mpj_cursor *cursor, MPJ_Count bytes)
{
  struct mpj_cells *c = &shm->cells;
  const unsigned piece = find_piece(shm, s->waits);
  if (piece == MPJ_STAGE_PIECES || !mpj_cells_has_room(c, s->peer)) return MPJ_AM_AGAIN;
  struct mpj_stage_word *word = mpj_segment_stage_word(c->segment, c->rank, piece);
  const struct mpj_shm_staged m = {
      .pull = s->pull, .offset = cursor->offset, .piece = piece, .bytes = (uint32_t)bytes};
  mpj_cursor_pack(cursor, mpj_segment_stage(c->segment, c->rank, piece), bytes);
  atomic_store_explicit(&word->filled, 1, memory_order_relaxed); /* the message publishes it */
  const int status = mpj_net_short(&c->net, s->peer, MPJ_AM_FRAGMENT, &m, sizeof m);
  assert(status == MPJ_SUCCESS); /* nobody else fills the ring */
  (void)status;
  shm->stage_of[piece] = s->peer;
  shm->stage_next = (piece + 1) % MPJ_STAGE_PIECES;
  return MPJ_SUCCESS;
}
