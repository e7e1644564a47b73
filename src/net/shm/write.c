/* This file is the receiver's side of the mover by which the owner, when it is asked, writes the
 * data into this process. */
#include <errno.h>
#include <string.h>

#include "base/status.h"
#include "net/shm/state.h"

enum { ASK, WAIT }; /* steps */

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

enum mpj_am_verdict mpj_shm_on_pushed(void *ctx, const struct mpj_am_arrival *arrival,
                                      struct mpj_am_dest *dest)
{
  (void)dest;
  struct mpj_shm *shm = ctx;
  struct mpj_shm_pushed m;
  if (arrival->header_bytes != sizeof m) return MPJ_AM_DONE;
  memcpy(&m, arrival->header, sizeof m);
  struct mpj_pull *p = mpj_pull_by_id(&shm->pulls, m.pull, arrival->source);
  if (!p || p->mover != &mpj_shm_write || p->step != WAIT) return MPJ_AM_DONE;
  if (m.outcome == MPJ_PUSHED_REFUSED) {
    mpj_shm_refused(shm, p);
    return MPJ_AM_DONE;
  }
  mpj_shm_take_exposure(shm, p); /* if it still is open */
  if (m.outcome == MPJ_PUSHED_IN_PLACE) {
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
    .ways = 1u << MPJ_TRY_ALONE,
    .can = mpj_shm_can_write,
    .move = wait};
