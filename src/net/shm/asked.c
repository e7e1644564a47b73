/* This file has the movers by which the owner moves the data when it is asked: it writes it into
 * this process, or packs it into pieces that this side unpacks. */
#include <errno.h>
#include <string.h>

#include "base/status.h"
#include "net/shm/state.h"

enum { ASK, WAIT }; /* steps */

void mpj_shm_refused(struct mpj_shm *shm, struct mpj_pull *p)
{
  shm->single_copy = false;
  mpj_cursor_seek(p->dst, p->first);
  mpj_pull_hand_on(p, &mpj_shm_stream);
}

static bool ask(struct mpj_pulls *t, struct mpj_pull *p)
{
  struct mpj_shm *shm = mpj_shm_of(t);
  const struct mpj_shm_request request = {.exposure = p->remote.id,
                                          .pull = mpj_pull_id(t, p),
                                          .to = p->to,
                                          .bytes = mpj_cursor_remaining(p->dst),
                                          .way = p->mover == &mpj_shm_write ? MPJ_WAY_WRITE
                                                                            : MPJ_WAY_STREAM};
  if (mpj_net_short(&shm->cells.net, p->source, MPJ_AM_REQUEST, &request, sizeof request) !=
      MPJ_SUCCESS)
    return false;
  p->step = WAIT;
  return true;
}

/* Whether nothing more will come: the source is gone or has closed the exposure
 * (it may not poll again for long), and what it had sent before has been polled. */
static bool is_over(struct mpj_shm *shm, struct mpj_pull *p)
{
  const bool gone = mpj_cells_peer_state(&shm->cells.head, p->source, NULL) >= MPJ_RANK_FINALIZED;
  if (!gone &&
      mpj_exposure_is_open(mpj_shm_exposure(shm, p), mpj_exposure_generation(p->remote.id)))
    return false;
  return p->waits++ > MPJ_RING_CELLS; /* a poll takes at least one cell */
}

static int why_over(struct mpj_pulls *t, const struct mpj_pull *p)
{
  const bool open = mpj_exposure_is_open(mpj_shm_exposure(mpj_shm_of(t), p),
                                         mpj_exposure_generation(p->remote.id));
  return open ? mpj_pull_lost(t, p->source) : mpj_pull_withdrawn(t, p->source);
}

static int wait(struct mpj_pulls *t, struct mpj_pull *p, bool *moved)
{
  if (is_over(mpj_shm_of(t), p)) return why_over(t, p);
  *moved |= p->waits > 0 || (p->step == ASK && ask(t, p));
  return MPJ_AM_PENDING;
}

/* The pull that the next `bytes` bytes are for, or NULL if it has ended or they are out of
 * order: not ours to write. */
static struct mpj_pull *expects(struct mpj_shm *shm, uint64_t id, int source, MPJ_Count offset,
                                MPJ_Count bytes)
{
  struct mpj_pull *p = mpj_pull_by_id(&shm->pulls, id, source);
  const bool fits = p && p->mover == &mpj_shm_stream && p->step == WAIT &&
                    offset == mpj_pull_done(p) && bytes <= mpj_cursor_remaining(p->dst) &&
                    (!p->how.take || bytes % p->how.unit == 0);
  return fits ? p : NULL;
}

static void end_if_whole(struct mpj_shm *shm, struct mpj_pull *p)
{
  if (mpj_cursor_remaining(p->dst) > 0) return;
  mpj_shm_take_exposure(shm, p);
  mpj_pull_end(&shm->pulls, p, MPJ_SUCCESS);
}

/* A piece in the source's stage; it is free again whatever becomes of it here. */
static void take_staged(struct mpj_shm *shm, const struct mpj_am_arrival *arrival)
{
  struct mpj_segment *segment = shm->cells.segment;
  struct mpj_shm_staged m;
  memcpy(&m, arrival->header, sizeof m);
  if (m.piece >= MPJ_STAGE_PIECES || m.bytes > MPJ_STAGE_PIECE) return;
  struct mpj_pull *p = expects(shm, m.pull, arrival->source, m.offset, m.bytes);
  if (p) mpj_pull_put(p, mpj_segment_stage(segment, arrival->source, m.piece), m.bytes);
  atomic_store_explicit(&mpj_segment_stage_word(segment, arrival->source, m.piece)->filled, 0,
                        memory_order_release);
  if (p) end_if_whole(shm, p);
}

enum mpj_am_verdict mpj_shm_on_fragment(void *ctx, const struct mpj_am_arrival *arrival,
                                        struct mpj_am_dest *dest)
{
  (void)dest;
  struct mpj_shm *shm = ctx;
  struct mpj_shm_fragment f;
  if (arrival->header_bytes == sizeof(struct mpj_shm_staged) && !arrival->has_payload)
    take_staged(shm, arrival);
  if (arrival->header_bytes != sizeof f || !arrival->has_payload) return MPJ_AM_DONE;
  memcpy(&f, arrival->header, sizeof f);
  struct mpj_pull *p = expects(shm, f.pull, arrival->source, f.offset, arrival->kept.bytes);
  if (!p) return MPJ_AM_DONE;
  mpj_pull_put(p, arrival->kept.payload, arrival->kept.bytes);
  end_if_whole(shm, p);
  return MPJ_AM_DONE;
}

enum mpj_am_verdict mpj_shm_on_pushed(void *ctx, const struct mpj_am_arrival *arrival,
                                      struct mpj_am_dest *dest)
{
  (void)dest;
  struct mpj_shm *shm = ctx;
  struct mpj_shm_pushed m;
  if (arrival->header_bytes != sizeof m) return MPJ_AM_DONE;
  memcpy(&m, arrival->header, sizeof m);
  struct mpj_pull *p = mpj_pull_by_id(&shm->pulls, m.pull, arrival->source);
  if (!p || (p->mover != &mpj_shm_write && p->mover != &mpj_shm_stream) || p->step != WAIT)
    return MPJ_AM_DONE;
  if (m.outcome == MPJ_PUSHED_REFUSED && p->mover == &mpj_shm_write) {
    mpj_shm_refused(shm, p);
    return MPJ_AM_DONE;
  }
  mpj_shm_take_exposure(shm, p); /* if it still is open */
  if (m.outcome == MPJ_PUSHED_IN_PLACE && p->mover == &mpj_shm_write) {
    mpj_cursor_seek(p->dst, p->dst->bytes);
    mpj_pull_end(&shm->pulls, p, MPJ_SUCCESS);
  } else if (m.outcome == MPJ_PUSHED_FAILED) {
    mpj_pull_end(&shm->pulls, p, mpj_shm_vm_failed(shm, p, -EFAULT));
  } else {
    mpj_pull_end(&shm->pulls, p, mpj_pull_withdrawn(&shm->pulls, p->source));
  }
  return MPJ_AM_DONE;
}

const struct mpj_mover mpj_shm_write = {
    .name = "write",
    .why = "only the owner knows where its data lies, and it can write to where it goes",
    .can = mpj_shm_can_write,
    .move = wait};

const struct mpj_mover mpj_shm_stream = {
    .name = "stream", .why = "pieces in shared memory go between any two layouts", .move = wait};
