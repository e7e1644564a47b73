/* This file is the owner's part in a long transfer that both sides work at: it
 * pushes chunks from the back while the receiver pulls from the front. */
#include <errno.h>

#include "net/cells/share.h"
#include "net/shm/state.h"

/* Whether an offer fits what is exposed; a peer wrote it. */
static bool is_sound(const struct mpj_shm *shm, const struct mpj_cells_exposed *x,
                     const struct mpj_share_offer *offer, uint32_t chunk)
{
  return offer->rank >= 0 && offer->rank < shm->cells.nranks && offer->rank != shm->cells.rank &&
         offer->bytes == mpj_view_bytes(&x->view) && offer->chunk > 0 && offer->row >= 0 &&
         (int64_t)chunk * offer->chunk < offer->bytes;
}

/* Write `bytes` bytes of the stream, from byte `at` on; whether all are there. */
static bool push(struct mpj_shm *shm, struct mpj_cursor *src, const struct mpj_share_offer *offer,
                 MPJ_Count at, MPJ_Count bytes)
{
  const struct mpj_place to = {offer->to, {offer->row, offer->stride}};
  for (MPJ_Count done = 0; done < bytes;) {
    mpj_cursor_seek(src, at + done);
    const MPJ_Count moved = mpj_shm_vm_write(shm, offer->rank, &to, at + done, src, bytes - done);
    if (moved == -EPERM || moved == -ENOSYS) shm->single_copy = false;
    if (moved < 0) return false;
    done += moved;
  }
  return true;
}

bool mpj_shm_help(struct mpj_cells *cells, unsigned i)
{
  struct mpj_shm *shm = (struct mpj_shm *)cells;
  const struct mpj_cells_exposed *x = &cells->exposed[i];
  struct mpj_exposure *e = mpj_segment_exposure(cells->segment, cells->rank, i);
  struct mpj_share_offer offer;
  struct mpj_cursor src;
  uint32_t chunk;
  if (!mpj_share_take_back(e, x->generation, &chunk, &offer)) return false;
  bool moved = false;
  if (shm->single_copy && is_sound(shm, x, &offer, chunk) &&
      mpj_cursor_begin(&src, &x->view, x->base) == MPJ_SUCCESS) {
    const MPJ_Count at = (MPJ_Count)chunk * offer.chunk, left = offer.bytes - at;
    moved = push(shm, &src, &offer, at, left < offer.chunk ? left : offer.chunk);
    mpj_cursor_end(&src);
  }
  mpj_share_give_back(e, x->generation, moved);
  return true;
}
