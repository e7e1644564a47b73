/* This file is the owner's side of long data between processes: requests that
 * have come in are served a bounded piece per poll. */
#include <errno.h>
#include <string.h>

#include "base/least.h"
#include "base/memory.h"
#include "base/status.h"
#include "net/pull/stream_ring.h"
#include "net/shm/state.h"

static void end_serve(struct mpj_shm *shm, struct mpj_shm_serve *s)
{
  if (s->has_cursor) mpj_cursor_end(&s->cursor);
  s->active = false;
  shm->active_serves--;
}

static bool is_dropped(struct mpj_shm *shm, const struct mpj_shm_serve *s);

/* Have room for more serves, if there may be more. */
static bool more_serves(struct mpj_shm *shm)
{
  enum { FIRST = 4 };
  const unsigned most = (unsigned)shm->cells.nranks * MPJ_PULLS_PER_SOURCE;
  const unsigned n = shm->nserves > 0 ? 2 * shm->nserves : FIRST, room = n < most ? n : most;
  if (shm->nserves >= most) return false;
  struct mpj_shm_serve *serves = mpj_alloc_array(room, sizeof *serves);
  if (!serves) return false;
  if (shm->nserves > 0) memcpy(serves, shm->serves, shm->nserves * sizeof *serves);
  mpj_free(shm->serves);
  shm->serves = serves;
  shm->nserves = room;
  return true;
}

/* A free serve; where there is none, that of a stream which its receiver has given up. */
static struct mpj_shm_serve *free_serve(struct mpj_shm *shm)
{
  for (unsigned i = 0; i < shm->nserves; i++)
    if (!shm->serves[i].active) return &shm->serves[i];
  const unsigned before = shm->nserves;
  if (more_serves(shm)) return &shm->serves[before];
  for (unsigned i = 0; i < shm->nserves; i++)
    if (is_dropped(shm, &shm->serves[i])) {
      end_serve(shm, &shm->serves[i]);
      return &shm->serves[i];
    }
  return NULL;
}

static void conclude(struct mpj_shm_serve *s, enum mpj_shm_outcome outcome)
{
  s->outcome = outcome;
  s->tell = true;
}

/* Find the ring that a request lends; false: it makes no sense. */
static bool find_ring(struct mpj_shm *shm, struct mpj_shm_serve *s, const struct mpj_shm_request *r)
{
  struct mpj_segment *segment = shm->cells.segment;
  if (r->stream.ring >= MPJ_STREAMS || r->stream.piece == 0 ||
      r->stream.piece > (uint64_t)segment->config.piece || r->stream.offset < 0)
    return false;
  s->stream = mpj_segment_stream(segment, s->peer, r->stream.ring);
  s->pieces = mpj_segment_pieces(segment, s->peer, r->stream.ring);
  s->piece = r->stream.piece;
  s->generation = r->stream.generation;
  s->past = r->stream.past;
  return true;
}

/* Begin to give what an exposure has from byte `offset` on, if that is `bytes` bytes. */
static bool begin_giving(struct mpj_shm *shm, struct mpj_shm_serve *s, MPJ_Count offset,
                         MPJ_Count bytes)
{
  const struct mpj_cells_exposed *x = mpj_cells_exposed_by_id(&shm->cells, s->exposure);
  if (!x || bytes < 0 || offset > mpj_view_bytes(&x->view) ||
      mpj_view_bytes(&x->view) - offset != bytes ||
      mpj_cursor_begin(&s->cursor, &x->view, x->base) != MPJ_SUCCESS)
    return false;
  mpj_cursor_seek(&s->cursor, offset);
  s->has_cursor = true;
  return true;
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
  const bool writes = r.way == MPJ_WAY_WRITE;
  *s = (struct mpj_shm_serve){.peer = arrival->source,
                              .way = writes ? MPJ_WAY_WRITE : MPJ_WAY_STREAM,
                              .exposure = r.exposure,
                              .pull = r.pull};
  if (writes)
    s->to = r.to;
  else if (!find_ring(shm, s, &r))
    return MPJ_AM_DONE;
  const bool given = begin_giving(shm, s, writes ? 0 : r.stream.offset, r.bytes);
  if (!given && !writes) return MPJ_AM_DONE; /* the receiver sees that it is withdrawn */
  s->active = true;
  shm->active_serves++;
  if (!given || (writes && r.to.rows.row < 0))
    conclude(s, MPJ_PUSHED_GONE);
  else if (writes && !shm->single_copy)
    conclude(s, MPJ_PUSHED_REFUSED);
  return MPJ_AM_DONE;
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

static void fill_piece(struct mpj_shm_serve *s, MPJ_Count bytes)
{
  unsigned char *piece = s->pieces + (size_t)(s->filled % MPJ_STREAM_PIECES) * s->piece;
  if (s->past)
    mpj_cursor_pack_past(&s->cursor, piece, bytes);
  else
    mpj_cursor_pack(&s->cursor, piece, bytes);
  s->filled++;
}

/* Fill pieces of the receiver's ring while there is room, but not for ever: it may be making room
 * as fast. */
static bool stream_some(struct mpj_shm *shm, struct mpj_shm_serve *s)
{
  enum { PIECES_PER_POLL = 4 };
  if (!mpj_stream_has_room(s->stream, s->filled, MPJ_STREAM_PIECES) ||
      !mpj_stream_claim(s->stream, s->generation))
    return false;
  const uint32_t most = s->filled + PIECES_PER_POLL;
  MPJ_Count left = mpj_cursor_remaining(&s->cursor);
  bool open = true;
  do {
    const MPJ_Count bytes = mpj_least(left, s->piece);
    fill_piece(s, bytes);
    left -= bytes;
    open = mpj_stream_publish(s->stream, s->generation, s->filled);
  } while (open && left > 0 && s->filled != most &&
           mpj_stream_has_room(s->stream, s->filled, MPJ_STREAM_PIECES));
  mpj_stream_release(s->stream, s->generation);
  mpj_segment_wake(shm->cells.segment, s->peer);
  if (left == 0) end_serve(shm, s);
  return true;
}

/* Whether nobody waits for what the serve would bring; of a stream, its ring says so. */
static bool is_dropped(struct mpj_shm *shm, const struct mpj_shm_serve *s)
{
  if (mpj_cells_peer_state(&shm->cells.head, s->peer, NULL) >= MPJ_RANK_FINALIZED) return true;
  return s->way == MPJ_WAY_STREAM && (!mpj_stream_is_open(s->stream, s->generation) ||
                                      !mpj_cells_exposed_by_id(&shm->cells, s->exposure));
}

static bool step_serve(struct mpj_shm *shm, struct mpj_shm_serve *s)
{
  if (!s->active) return false;
  if (is_dropped(shm, s)) {
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
