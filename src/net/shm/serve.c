/* This file is the owner's side of long data between processes: requests that
 * have come in are served a bounded piece per poll. */
#include <errno.h>
#include <string.h>

#include "base/least.h"
#include "base/status.h"
#include "net/shm/state.h"

static struct mpj_shm_serve *free_serve(struct mpj_shm *shm)
{
  for (unsigned i = 0; i < shm->nserves; i++)
    if (!shm->serves[i].active) return &shm->serves[i];
  return NULL;
}

static void conclude(struct mpj_shm_serve *s, enum mpj_shm_outcome outcome)
{
  s->outcome = outcome;
  s->tell = true;
}

enum mpj_am_verdict mpj_shm_on_request(void *ctx, const struct mpj_am_arrival *arrival,
                                       struct mpj_am_dest *dest)
{
  (void)dest;
  struct mpj_shm *shm = ctx;
  struct mpj_shm_request r;
  if (arrival->header_bytes != sizeof r) return MPJ_AM_DONE;
  memcpy(&r, arrival->header, sizeof r);
  struct mpj_shm_serve *s = free_serve(shm);
  if (!s) {
    mpj_warn("rank %d dropped a request of rank %d, which has more open than it may",
             shm->cells.rank, arrival->source);
    return MPJ_AM_DONE;
  }
  *s = (struct mpj_shm_serve){.active = true,
                              .peer = arrival->source,
                              .way = r.way == MPJ_WAY_WRITE ? MPJ_WAY_WRITE : MPJ_WAY_STREAM,
                              .exposure = r.exposure,
                              .pull = r.pull,
                              .to = r.to};
  shm->active_serves++;
  const struct mpj_cells_exposed *x = mpj_cells_exposed_by_id(&shm->cells, r.exposure);
  if (!x || r.to.rows.row < 0 || mpj_view_bytes(&x->view) != r.bytes ||
      mpj_cursor_begin(&s->cursor, &x->view, x->base) != MPJ_SUCCESS) {
    conclude(s, MPJ_PUSHED_GONE);
    return MPJ_AM_DONE;
  }
  s->has_cursor = true;
  if (s->way == MPJ_WAY_WRITE && !shm->single_copy) conclude(s, MPJ_PUSHED_REFUSED);
  return MPJ_AM_DONE;
}

static void end_serve(struct mpj_shm *shm, struct mpj_shm_serve *s)
{
  if (s->has_cursor) mpj_cursor_end(&s->cursor);
  s->active = false;
  shm->active_serves--;
}

static bool tell(struct mpj_shm *shm, struct mpj_shm_serve *s)
{
  const struct mpj_shm_pushed m = {.pull = s->pull, .outcome = s->outcome};
  if (mpj_net_short(&shm->cells.net, s->peer, MPJ_AM_PUSHED, &m, sizeof m) != MPJ_SUCCESS)
    return false;
  end_serve(shm, s);
  return true;
}

static bool write_some(struct mpj_shm *shm, struct mpj_shm_serve *s)
{
  const MPJ_Count moved = mpj_shm_vm_write(shm, s->peer, &s->to, s->cursor.offset, &s->cursor,
                                           mpj_cursor_remaining(&s->cursor));
  if (moved > 0) {
    if (mpj_cursor_remaining(&s->cursor) == 0) conclude(s, MPJ_PUSHED_IN_PLACE);
  } else if (moved == -EPERM || moved == -ENOSYS) {
    shm->single_copy = false;
    conclude(s, MPJ_PUSHED_REFUSED);
  } else {
    conclude(s, MPJ_PUSHED_FAILED);
  }
  return true;
}

static int send_slot(struct mpj_shm *shm, struct mpj_shm_serve *s)
{
  struct mpj_net *net = &shm->cells.net;
  const struct mpj_shm_fragment f = {.pull = s->pull, .offset = s->cursor.offset};
  const MPJ_Count bytes = mpj_least(mpj_cursor_remaining(&s->cursor), net->eager_bytes);
  return mpj_net_eager(net, s->peer, MPJ_AM_FRAGMENT, &f, sizeof f, &s->cursor, bytes, NULL, NULL);
}

/* Send the next piece by a slot of the pair where there is little, or where the stage, which other
 * receivers may hold up, has been full for long; else by the stage. By that, too, where no slot is
 * free: all may hold data of operations that the receiver begins only when it has this. */
static int send_piece(struct mpj_shm *shm, struct mpj_shm_serve *s)
{
  enum { STAGED_LEAST = 32768, PATIENCE = 256 };
  if (s->cursor.bytes < STAGED_LEAST || s->waits > PATIENCE) {
    const int status = send_slot(shm, s);
    if (status != MPJ_AM_AGAIN) return status;
  }
  const MPJ_Count bytes = mpj_least(mpj_cursor_remaining(&s->cursor), MPJ_STAGE_PIECE);
  const int status = mpj_shm_stage_send(shm, s, &s->cursor, bytes);
  s->waits = status == MPJ_SUCCESS ? 0 : s->waits + 1;
  return status;
}

/* Send pieces while there is room, but not for ever: the receiver may be making room
 * as fast. */
static bool stream_some(struct mpj_shm *shm, struct mpj_shm_serve *s)
{
  enum { FRAGMENTS_PER_POLL = 16 };
  bool moved = false;
  for (int n = 0; mpj_cursor_remaining(&s->cursor) > 0; n++) {
    if (n == FRAGMENTS_PER_POLL) return true;
    if (send_piece(shm, s) != MPJ_SUCCESS) return moved;
    moved = true;
  }
  end_serve(shm, s);
  return true;
}

static bool step_serve(struct mpj_shm *shm, struct mpj_shm_serve *s)
{
  if (!s->active) return false;
  if (mpj_cells_peer_state(&shm->cells.head, s->peer, NULL) >= MPJ_RANK_FINALIZED) {
    end_serve(shm, s);
    return true;
  }
  if (!s->tell && !mpj_cells_exposed_by_id(&shm->cells, s->exposure)) conclude(s, MPJ_PUSHED_GONE);
  if (s->tell) return tell(shm, s);
  return s->way == MPJ_WAY_WRITE ? write_some(shm, s) : stream_some(shm, s);
}

bool mpj_shm_poll_serves(struct mpj_shm *shm)
{
  bool moved = false;
  for (unsigned i = 0; i < shm->nserves && shm->active_serves > 0; i++)
    moved |= step_serve(shm, &shm->serves[i]);
  return moved;
}
