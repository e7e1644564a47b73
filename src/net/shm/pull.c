/* This file is the receiver's side of long data between processes: the states
 * of a pull (shm.h has the table). */
#include <errno.h>
#include <string.h>

#include "base/status.h"
#include "net/cells/exposure.h"
#include "net/cells/share.h"
#include "net/shm/state.h"

static uint64_t id_of(const struct mpj_shm *shm, const struct mpj_shm_pull *p)
{
  return (uint64_t)p->generation << 32 | (uint64_t)(p - shm->pulls);
}

static struct mpj_shm_pull *by_id(struct mpj_shm *shm, uint64_t id, int source)
{
  const uint64_t i = id & 0xffffffff;
  if (i >= MPJ_SHM_PULLS) return NULL;
  struct mpj_shm_pull *p = &shm->pulls[i];
  const bool ours = p->state == MPJ_PULL_WAIT && p->generation == id >> 32 && p->source == source;
  return ours ? p : NULL;
}

static void end_pull(struct mpj_shm *shm, struct mpj_shm_pull *p, int status)
{
  const struct mpj_shm_pull ended = *p;
  p->state = MPJ_PULL_FREE;
  shm->active_pulls--;
  ended.complete(ended.arg, status);
}

/* Tell the owner, through the exposure's word, that the data is here. */
static void take_exposure(struct mpj_shm *shm, const struct mpj_shm_pull *p)
{
  mpj_exposure_take(mpj_shm_exposure(shm, p), mpj_exposure_generation(p->remote.id));
  mpj_segment_wake(shm->cells.segment, p->source);
}

static int withdrawn(struct mpj_shm *shm, const struct mpj_shm_pull *p)
{
  return mpj_error(MPJ_ERR_INTERNAL, "rank %d withdrew the data that rank %d was to pull",
                   p->source, shm->cells.rank);
}

static int vm_failed(struct mpj_shm *shm, const struct mpj_shm_pull *p, MPJ_Count error)
{
  if (error == -ESRCH)
    return mpj_error(MPJ_ERR_PEER, "rank %d died before rank %d had read its data", p->source,
                     shm->cells.rank);
  return mpj_error(MPJ_ERR_ARG, "a buffer of rank %d or rank %d is not all in memory (error %d)",
                   p->source, shm->cells.rank, (int)-error);
}

/* After process_vm was refused: never again in this process. */
static void ask_for_stream(struct mpj_shm *shm, struct mpj_shm_pull *p)
{
  shm->single_copy = false;
  mpj_cursor_seek(p->dst, p->first);
  p->way = MPJ_WAY_STREAM;
  p->state = MPJ_PULL_ASK;
}

/* Of columns the place in dst only says how much there is; tiles come to all of it. */
static MPJ_Count read_next(struct mpj_shm *shm, struct mpj_shm_pull *p)
{
  const MPJ_Count done = p->dst->offset - p->first;
  if (p->columns.unit == 0)
    return mpj_shm_vm_read(shm, p->source, &p->from, done, p->dst, mpj_cursor_remaining(p->dst));
  const MPJ_Count moved =
      mpj_shm_read_columns(shm, p->source, p->from.address, &p->columns, done, p->dst);
  if (moved > 0) mpj_cursor_seek(p->dst, p->dst->offset + moved);
  return moved;
}

/* Read one call's worth. Returns MPJ_AM_PENDING while there is more to come. */
static int read_some(struct mpj_shm *shm, struct mpj_shm_pull *p)
{
  struct mpj_exposure *e = mpj_shm_exposure(shm, p);
  if (!mpj_exposure_begin_read(e, mpj_exposure_generation(p->remote.id))) return withdrawn(shm, p);
  const MPJ_Count moved = read_next(shm, p);
  const bool last = moved > 0 && mpj_cursor_remaining(p->dst) == 0;
  const bool refused = moved == -EPERM || moved == -ENOSYS;
  const bool failed = moved < 0 && !refused; /* a pull that failed is taken, too */
  mpj_exposure_end_read(e, mpj_exposure_generation(p->remote.id), last || failed);
  if (last || failed) mpj_segment_wake(shm->cells.segment, p->source);
  if (last) return MPJ_SUCCESS;
  if (failed) return vm_failed(shm, p, moved);
  if (!refused) return MPJ_AM_PENDING;
  ask_for_stream(shm, p);
  return MPJ_AM_PENDING;
}

/* Read chunk `i` of a shared pull: bytes of the chunk, or a negative errno. */
static MPJ_Count read_chunk(struct mpj_shm *shm, struct mpj_shm_pull *p, uint32_t i)
{
  const MPJ_Count at = (MPJ_Count)i * p->chunk, left = p->dst->bytes - p->first - at;
  const MPJ_Count bytes = left < p->chunk ? left : p->chunk;
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
static bool read_chunks(struct mpj_shm *shm, struct mpj_shm_pull *p, struct mpj_exposure *e)
{
  enum { BYTES_PER_POLL = 4 << 20 };
  const uint32_t generation = mpj_exposure_generation(p->remote.id);
  uint32_t i;
  MPJ_Count moved = 0;
  while (moved < BYTES_PER_POLL && mpj_share_take_front(e, generation, &i)) {
    const MPJ_Count bytes = read_chunk(shm, p, i);
    if (bytes < 0) {
      p->failure = bytes;
      p->state = MPJ_PULL_CANCEL;
      return false;
    }
    moved += bytes;
  }
  return mpj_share_finish(e, generation);
}

/* Work at a shared pull. Returns MPJ_AM_PENDING while there is more to come. */
static int share_some(struct mpj_shm *shm, struct mpj_shm_pull *p)
{
  struct mpj_exposure *e = mpj_shm_exposure(shm, p);
  const uint32_t generation = mpj_exposure_generation(p->remote.id);
  if (!mpj_exposure_begin_read(e, generation)) return withdrawn(shm, p);
  const bool all = read_chunks(shm, p, e);
  mpj_exposure_end_read(e, generation, all);
  if (!all) {
    const bool dead = mpj_cells_peer_state(&shm->cells.head, p->source, NULL) == MPJ_RANK_DEAD;
    return dead ? vm_failed(shm, p, -ESRCH) : MPJ_AM_PENDING;
  }
  mpj_segment_wake(shm->cells.segment, p->source);
  mpj_cursor_seek(p->dst, p->dst->bytes);
  return MPJ_SUCCESS;
}

/* Whether the owner certainly writes nothing more for this pull. */
static bool is_cancelled(struct mpj_shm *shm, struct mpj_shm_pull *p)
{
  return mpj_share_cancel(mpj_shm_exposure(shm, p), mpj_exposure_generation(p->remote.id)) ||
         mpj_cells_peer_state(&shm->cells.head, p->source, NULL) >= MPJ_RANK_FINALIZED;
}

static int cancel(struct mpj_shm *shm, struct mpj_shm_pull *p)
{
  if (!is_cancelled(shm, p)) return MPJ_AM_PENDING;
  if (p->failure == -EPERM || p->failure == -ENOSYS) {
    ask_for_stream(shm, p);
    return MPJ_AM_PENDING;
  }
  take_exposure(shm, p);
  return vm_failed(shm, p, p->failure);
}

void mpj_shm_stop_shares(struct mpj_shm *shm)
{
  for (unsigned i = 0; i < MPJ_SHM_PULLS; i++) {
    struct mpj_shm_pull *p = &shm->pulls[i];
    unsigned idle = 0;
    if (p->state != MPJ_PULL_SHARE && p->state != MPJ_PULL_CANCEL) continue;
    while (!is_cancelled(shm, p))
      mpj_cells_idle(&shm->cells.head, &idle, 0);
  }
}

static struct mpj_shm_pull *free_pull(struct mpj_shm *shm, int source)
{
  struct mpj_shm_pull *found = NULL;
  unsigned from_source = 0;
  for (unsigned i = 0; i < MPJ_SHM_PULLS; i++) {
    if (shm->pulls[i].state == MPJ_PULL_FREE)
      found = &shm->pulls[i];
    else if (shm->pulls[i].source == source)
      from_source++;
  }
  return from_source < MPJ_SHM_REQUESTS_PER_PEER ? found : NULL;
}

/* What this side does itself, in the state that the pull is in. */
static int work_at(struct mpj_shm *shm, struct mpj_shm_pull *p)
{
  if (p->state == MPJ_PULL_READ) return read_some(shm, p);
  return p->state == MPJ_PULL_SHARE ? share_some(shm, p) : cancel(shm, p);
}

static const char *mover_of(const struct mpj_shm_pull *p)
{
  if (p->state == MPJ_PULL_ASK) return p->way == MPJ_WAY_WRITE ? "write" : "stream";
  return p->state == MPJ_PULL_SHARE ? "share" : "read";
}

int mpj_shm_pull(struct mpj_transport *t, int source, const struct mpj_am_remote *remote,
                 struct mpj_cursor *dst, mpj_am_complete_fn *complete, void *arg)
{
  struct mpj_shm *shm = (struct mpj_shm *)t;
  if (!dst) return mpj_cells_decline(t, source, remote);
  if (mpj_exposure_index(remote->id) >= MPJ_EXPOSURES)
    return mpj_error(MPJ_ERR_INTERNAL, "rank %d offered data under a malformed id", source);
  struct mpj_shm_pull *p = free_pull(shm, source);
  if (!p) return MPJ_AM_AGAIN;
  if (mpj_cursor_remaining(dst) == 0) return mpj_cells_decline(t, source, remote);
  p->generation++;
  p->polls_alone = 0;
  p->source = source;
  p->remote = *remote;
  p->dst = dst;
  p->first = dst->offset;
  p->complete = complete;
  p->arg = arg;
  mpj_shm_choose_way(shm, p);
  t->mover = mover_of(p);
  if (p->state != MPJ_PULL_ASK) {
    const int status = work_at(shm, p);
    if (status != MPJ_AM_PENDING) {
      p->state = MPJ_PULL_FREE;
      return status;
    }
  }
  shm->active_pulls++;
  return MPJ_AM_PENDING;
}

static bool ask(struct mpj_shm *shm, struct mpj_shm_pull *p)
{
  const struct mpj_shm_request request = {.exposure = p->remote.id,
                                          .pull = id_of(shm, p),
                                          .to = p->to,
                                          .bytes = mpj_cursor_remaining(p->dst),
                                          .way = p->way};
  if (mpj_net_short(&shm->cells.net, p->source, MPJ_AM_REQUEST, &request, sizeof request) !=
      MPJ_SUCCESS)
    return false;
  p->state = MPJ_PULL_WAIT;
  return true;
}

/* Whether nothing more will come: the source is gone or has closed the exposure
 * (it may not poll again for long), and what it had sent before has been polled. */
static bool is_over(struct mpj_shm *shm, struct mpj_shm_pull *p)
{
  const bool gone = mpj_cells_peer_state(&shm->cells.head, p->source, NULL) >= MPJ_RANK_FINALIZED;
  if (!gone &&
      mpj_exposure_is_open(mpj_shm_exposure(shm, p), mpj_exposure_generation(p->remote.id)))
    return false;
  return p->polls_alone++ > MPJ_RING_CELLS; /* a poll takes at least one cell */
}

static int why_over(struct mpj_shm *shm, const struct mpj_shm_pull *p)
{
  if (!mpj_exposure_is_open(mpj_shm_exposure(shm, p), mpj_exposure_generation(p->remote.id)))
    return withdrawn(shm, p);
  return mpj_error(MPJ_ERR_PEER, "rank %d died or left while rank %d waited for its data",
                   p->source, shm->cells.rank);
}

/* Move one pull on; whether it did. */
static bool step_pull(struct mpj_shm *shm, struct mpj_shm_pull *p)
{
  if (p->state == MPJ_PULL_FREE) return false;
  if (p->state < MPJ_PULL_ASK) {
    const int status = work_at(shm, p);
    if (status != MPJ_AM_PENDING) end_pull(shm, p, status);
    return true;
  }
  if (is_over(shm, p)) {
    end_pull(shm, p, why_over(shm, p));
    return true;
  }
  return p->polls_alone > 0 || (p->state == MPJ_PULL_ASK && ask(shm, p));
}

bool mpj_shm_poll_pulls(struct mpj_shm *shm)
{
  bool moved = false;
  for (unsigned i = 0; i < MPJ_SHM_PULLS && shm->active_pulls > 0; i++)
    moved |= step_pull(shm, &shm->pulls[i]);
  return moved;
}

/* The pull that the next `bytes` bytes are for, or NULL if it has ended or they are out of
 * order: not ours to write. */
static struct mpj_shm_pull *expects(struct mpj_shm *shm, uint64_t pull, int source,
                                    MPJ_Count offset, MPJ_Count bytes)
{
  struct mpj_shm_pull *p = by_id(shm, pull, source);
  if (!p || offset != p->dst->offset - p->first || bytes > mpj_cursor_remaining(p->dst))
    return NULL;
  return p;
}

static void end_if_whole(struct mpj_shm *shm, struct mpj_shm_pull *p)
{
  if (mpj_cursor_remaining(p->dst) > 0) return;
  take_exposure(shm, p);
  end_pull(shm, p, MPJ_SUCCESS);
}

/* A piece in the source's stage; it is free again whatever becomes of it here. */
static void take_staged(struct mpj_shm *shm, const struct mpj_am_arrival *arrival)
{
  struct mpj_segment *segment = shm->cells.segment;
  struct mpj_shm_staged m;
  memcpy(&m, arrival->header, sizeof m);
  if (m.piece >= MPJ_STAGE_PIECES || m.bytes > MPJ_STAGE_PIECE) return;
  struct mpj_shm_pull *p = expects(shm, m.pull, arrival->source, m.offset, m.bytes);
  if (p) mpj_cursor_unpack(p->dst, mpj_segment_stage(segment, arrival->source, m.piece), m.bytes);
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
  struct mpj_shm_pull *p = expects(shm, f.pull, arrival->source, f.offset, arrival->kept.bytes);
  if (!p) return MPJ_AM_DONE;
  mpj_cursor_unpack(p->dst, arrival->kept.payload, arrival->kept.bytes);
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
  struct mpj_shm_pull *p = by_id(shm, m.pull, arrival->source);
  if (!p) return MPJ_AM_DONE;
  if (m.outcome == MPJ_PUSHED_REFUSED) {
    ask_for_stream(shm, p);
    return MPJ_AM_DONE;
  }
  take_exposure(shm, p); /* if it still is open */
  if (m.outcome == MPJ_PUSHED_IN_PLACE && p->way == MPJ_WAY_WRITE) {
    mpj_cursor_seek(p->dst, p->dst->bytes);
    end_pull(shm, p, MPJ_SUCCESS);
  } else if (m.outcome == MPJ_PUSHED_FAILED) {
    end_pull(shm, p, vm_failed(shm, p, -EFAULT));
  } else {
    end_pull(shm, p, withdrawn(shm, p));
  }
  return MPJ_AM_DONE;
}
