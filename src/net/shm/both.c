/* This file is the mover by which both sides work at one transfer: the receiver reads chunks from
 * the front while the owner, when it polls, writes others from the back (net/cells/share.h). */
#include <errno.h>

#include "base/least.h"
#include "net/cells/share.h"
#include "net/shm/state.h"

/* Read chunk `i`: bytes of the chunk, or a negative errno. */
static MPJ_Count read_chunk(struct mpj_shm *shm, struct mpj_pull *p, uint32_t i)
{
  const MPJ_Count at = (MPJ_Count)i * p->chunk;
  const MPJ_Count bytes = mpj_least(p->dst->bytes - p->first - at, p->chunk);
  for (MPJ_Count done = 0; done < bytes;) {
    mpj_cursor_seek(p->dst, p->first + at + done);
    const MPJ_Count moved =
        mpj_shm_vm_read(shm, p->source, &p->from, at + done, p->dst, bytes - done);
    if (moved < 0) return moved;
    done += moved;
  }
  return bytes;
}

/* Take chunks until a poll's worth is done, none is left, or one fails. Returns
 * whether all chunks are in place, the owner's too. */
static bool read_chunks(struct mpj_shm *shm, struct mpj_pull *p, struct mpj_exposure *e)
{
  enum { BYTES_PER_POLL = 4 << 20 };
  const uint32_t generation = mpj_exposure_generation(p->remote.id);
  uint32_t i;
  MPJ_Count moved = 0;
  while (moved < BYTES_PER_POLL && mpj_share_take_front(e, generation, &i)) {
    const MPJ_Count bytes = read_chunk(shm, p, i);
    if (bytes < 0) {
      p->failure = bytes;
      return false;
    }
    moved += bytes;
  }
  return mpj_share_finish(e, generation);
}

/* Whether the owner certainly writes nothing more for this pull. */
static bool is_cancelled(struct mpj_pulls *t, struct mpj_pull *p)
{
  struct mpj_shm *shm = mpj_shm_of(t);
  return mpj_share_cancel(mpj_shm_exposure(shm, p), mpj_exposure_generation(p->remote.id)) ||
         mpj_cells_peer_state(&shm->cells.head, p->source, NULL) >= MPJ_RANK_FINALIZED;
}

/* After a call of this side has failed. */
static int cancel(struct mpj_pulls *t, struct mpj_pull *p)
{
  struct mpj_shm *shm = mpj_shm_of(t);
  if (!is_cancelled(t, p)) return MPJ_AM_PENDING;
  if (p->failure == -EPERM || p->failure == -ENOSYS) {
    mpj_shm_refused(shm, p);
    return MPJ_AM_PENDING;
  }
  mpj_shm_take_exposure(shm, p);
  return mpj_shm_vm_failed(shm, p, p->failure);
}

static int share_some(struct mpj_pulls *t, struct mpj_pull *p, bool *moved)
{
  struct mpj_shm *shm = mpj_shm_of(t);
  struct mpj_exposure *e = mpj_shm_exposure(shm, p);
  const uint32_t generation = mpj_exposure_generation(p->remote.id);
  *moved = true;
  if (p->failure != 0) return cancel(t, p);
  if (!mpj_exposure_begin_read(e, generation)) return mpj_pull_withdrawn(t, p->source);
  const bool all = read_chunks(shm, p, e);
  mpj_exposure_end_read(e, generation, all);
  if (!all) {
    const bool dead = mpj_cells_peer_state(&shm->cells.head, p->source, NULL) == MPJ_RANK_DEAD;
    return dead ? mpj_shm_vm_failed(shm, p, -ESRCH) : MPJ_AM_PENDING;
  }
  mpj_segment_wake(shm->cells.segment, p->source);
  mpj_cursor_seek(p->dst, p->dst->bytes);
  return MPJ_SUCCESS;
}

const struct mpj_mover mpj_shm_both = {
    .name = "share",
    .why = "both sides can reach the other's memory, and there is much to do",
    .ways = 1u << MPJ_TRY_BOTH,
    .can = mpj_shm_can_both,
    .move = share_some,
    .stop = is_cancelled};
