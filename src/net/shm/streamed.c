/* This file is the receiver's side of the mover that needs nothing of either layout: the owner
 * fills the pieces of a ring that this rank lends it (net/pull/stream_ring.h), and what is filled
 * is taken from there to its place, or combined.
 *
 *   step     event                                        next
 *   WANT     a ring is free                               OPEN
 *   WANT     none is                                      WANT, or carried by another mover
 *   OPEN     the request has found room                   FLOW
 *   FLOW     pieces have come                             FLOW; at the last one the pull ends
 *   FLOW     nothing for PATIENCE polls, and this side    CLOSING
 *            can read, or another pull waits for a ring
 *   FLOW     source gone, or exposure withdrawn           ends with the error, if no piece is left
 *   CLOSING  the owner is through with its piece          WANT, or carried by another mover
 *
 * So an owner that does something else holds up nobody: what it does not bring is read, and its
 * ring serves others. */
#include "base/status.h"
#include "base/stream.h"
#include "net/pull/stream_ring.h"
#include "net/shm/blocks.h"
#include "net/shm/state.h"
#include "net/waiting.h"

enum { WANT, OPEN, FLOW, CLOSING }; /* steps */
enum { PATIENCE = 512, LOOK = 16, PIECES_PER_MOVE = 2, PIECE_UNIT = 8192 };

/* Bytes of a piece: the ring's for long data; some pieces at least for less, so that both sides
 * are at work at once. Each costs two lines that pass between the cores. A bare ring between two
 * cores of a Zen 5, where one takes .3 us: 64 KiB in pieces of 4, 8, 16, 32 KiB 6.1, 4.3, 3.3, 3.5
 * us, 1 MiB 92, 61, 48, 39. */
static uint32_t piece_bytes(const struct mpj_shm *shm, const struct mpj_pull *p)
{
  const MPJ_Count most = shm->cells.segment->config.piece, bytes = mpj_cursor_remaining(p->dst);
  const MPJ_Count least = p->how.both_ways ? 2 : 4;
  const MPJ_Count share = (bytes / least + PIECE_UNIT - 1) / PIECE_UNIT * PIECE_UNIT;
  return (uint32_t)(share > most ? most : share < PIECE_UNIT ? PIECE_UNIT : share);
}

static struct mpj_stream *stream_of(struct mpj_shm *shm, const struct mpj_pull *p)
{
  return mpj_segment_stream(shm->cells.segment, shm->cells.rank, p->ring);
}

static int move(struct mpj_pulls *t, struct mpj_pull *p, bool *moved);

/* Whether a pull of this rank waits for a ring; of one whose source was late, one that is not. */
static bool others_want(const struct mpj_pulls *t, const struct mpj_pull *but)
{
  for (unsigned i = 0; i < t->top; i++) {
    const struct mpj_pull *p = &t->pull[i];
    if (p != but && p->mover && p->mover->move == move && p->step == WANT &&
        (!p->late || but->step != WANT))
      return true;
  }
  return false;
}

/* Of those that are free the one that the source filled last: it has met its pages, and a page that
 * is new to a process costs more than what it holds. */
static unsigned ring_for(const struct mpj_shm *shm, int source)
{
  for (uint32_t rings = shm->rings; rings; rings &= rings - 1) {
    const unsigned i = (unsigned)__builtin_ctz(rings);
    if (shm->ring_had[i] == source + 1) return i;
  }
  return (unsigned)__builtin_ctz(shm->rings);
}

static bool borrow_ring(struct mpj_pulls *t, struct mpj_pull *p)
{
  struct mpj_shm *shm = mpj_shm_of(t);
  if (shm->rings == 0 || (p->late && others_want(t, p))) return false;
  p->ring = ring_for(shm, p->source);
  shm->rings &= ~(1u << p->ring);
  shm->ring_had[p->ring] = p->source + 1;
  p->ring_generation = mpj_stream_open(stream_of(shm, p));
  p->chunk = piece_bytes(shm, p);
  p->pieces = 0;
  p->step = OPEN;
  return true;
}

static void give_ring_back(struct mpj_shm *shm, struct mpj_pull *p)
{
  shm->rings |= 1u << p->ring;
  p->step = WANT;
}

static bool ask(struct mpj_pulls *t, struct mpj_pull *p)
{
  struct mpj_shm *shm = mpj_shm_of(t);
  const struct mpj_shm_request request = {.exposure = p->remote.id,
                                          .pull = mpj_pull_id(t, p),
                                          .stream = {.offset = mpj_pull_done(p),
                                                     .piece = p->chunk,
                                                     .ring = p->ring,
                                                     .generation = p->ring_generation,
                                                     .past = p->way == MPJ_TRY_PAST},
                                          .bytes = mpj_cursor_remaining(p->dst),
                                          .way = MPJ_WAY_STREAM};
  if (mpj_net_short(&shm->cells.net, p->source, MPJ_AM_REQUEST, &request, sizeof request) !=
      MPJ_SUCCESS)
    return false;
  p->step = FLOW;
  return true;
}

/* Where so much comes that it pushes everything out of the caches, it goes past them. */
static bool goes_past_caches(const struct mpj_shm *shm, const struct mpj_pull *p)
{
  return !p->dst->program && !p->how.take && !p->how.read_next &&
         p->dst->bytes - p->first >= shm->past_caches;
}

static void take_piece(struct mpj_shm *shm, struct mpj_pull *p)
{
  const unsigned char *ring = mpj_segment_pieces(shm->cells.segment, shm->cells.rank, p->ring);
  const MPJ_Count left = mpj_cursor_remaining(p->dst);
  const MPJ_Count bytes = left < p->chunk ? left : p->chunk;
  const unsigned char *piece = ring + (size_t)(p->pieces % MPJ_STREAM_PIECES) * p->chunk;
  if (goes_past_caches(shm, p)) {
    mpj_stream_copy(p->dst->origin + p->dst->offset, piece, (size_t)bytes);
    mpj_cursor_seek(p->dst, p->dst->offset + bytes);
  } else {
    mpj_pull_put(p, piece, bytes);
  }
  mpj_stream_empty(stream_of(shm, p), ++p->pieces);
}

/* Pieces that have been filled and not been taken; 0 too where the word makes no sense. */
static uint32_t filled_pieces(struct mpj_shm *shm, const struct mpj_pull *p)
{
  uint32_t filled;
  if (!mpj_stream_filled(stream_of(shm, p), p->ring_generation, &filled)) return 0;
  filled = (filled - p->pieces) & MPJ_STREAM_COUNT;
  return filled <= MPJ_STREAM_PIECES ? filled : 0;
}

static int end_whole(struct mpj_shm *shm, struct mpj_pull *p)
{
  mpj_stream_close(stream_of(shm, p), p->ring_generation); /* the owner has filled its last */
  give_ring_back(shm, p);
  mpj_shm_take_exposure(shm, p);
  return MPJ_SUCCESS;
}

/* Why nothing more will come, or MPJ_AM_PENDING. */
static int look_whether_over(struct mpj_pulls *t, struct mpj_pull *p)
{
  struct mpj_shm *shm = mpj_shm_of(t);
  const bool gone = mpj_cells_peer_state(&shm->cells.head, p->source, NULL) >= MPJ_RANK_FINALIZED;
  const bool open =
      mpj_exposure_is_open(mpj_shm_exposure(shm, p), mpj_exposure_generation(p->remote.id));
  if ((!gone && open) || (p->step >= OPEN && filled_pieces(shm, p) > 0)) return MPJ_AM_PENDING;
  if (p->step >= OPEN) {
    if (!mpj_stream_close(stream_of(shm, p), p->ring_generation) && !gone) return MPJ_AM_PENDING;
    give_ring_back(shm, p);
  }
  return open ? mpj_pull_lost(t, p->source) : mpj_pull_withdrawn(t, p->source);
}

static bool can_read(const struct mpj_shm *shm, const struct mpj_pull *p)
{
  return shm->single_copy && p->from.address != 0;
}

/* The rank has slept between its polls, and found nothing. */
static bool has_slept(const struct mpj_cells *c)
{
  return c->armed_by && (c->net.asleep == 0 || c->nap_us > MPJ_SLICE_US);
}

/* Nothing has come. Who has slept has waited longer than PATIENCE. */
static int wait(struct mpj_pulls *t, struct mpj_pull *p)
{
  struct mpj_shm *shm = mpj_shm_of(t);
  if (has_slept(&shm->cells))
    p->waits = PATIENCE;
  else if (++p->waits % LOOK != 0)
    return MPJ_AM_PENDING;
  const int status = look_whether_over(t, p);
  if (status != MPJ_AM_PENDING || p->waits < PATIENCE || p->step != FLOW) return status;
  if (can_read(shm, p) || others_want(t, p)) p->step = CLOSING;
  return MPJ_AM_PENDING;
}

/* The owner is late, or all rings are lent: another mover, if one can, brings the rest. */
static void go_on_without(struct mpj_pulls *t, struct mpj_pull *p)
{
  p->late = true;
  mpj_pull_choose(t, p);
}

static int flow(struct mpj_pulls *t, struct mpj_pull *p, bool *moved)
{
  struct mpj_shm *shm = mpj_shm_of(t);
  const bool closed = p->step == CLOSING && mpj_stream_close(stream_of(shm, p), p->ring_generation);
  uint32_t pieces = filled_pieces(shm, p);
  if (pieces == 0 && !closed) return wait(t, p);
  if (pieces > PIECES_PER_MOVE) pieces = PIECES_PER_MOVE;
  for (uint32_t i = 0; i < pieces && mpj_cursor_remaining(p->dst) > 0; i++)
    take_piece(shm, p);
  *moved = true;
  p->waits = 0;
  if (pieces > 0) p->late = false;
  mpj_segment_wake(shm->cells.segment, p->source);
  if (mpj_cursor_remaining(p->dst) == 0) return end_whole(shm, p);
  if (!closed || filled_pieces(shm, p) > 0) return MPJ_AM_PENDING;
  give_ring_back(shm, p);
  go_on_without(t, p);
  return MPJ_AM_PENDING;
}

static int move(struct mpj_pulls *t, struct mpj_pull *p, bool *moved)
{
  struct mpj_shm *shm = mpj_shm_of(t);
  if (p->step == WANT && !borrow_ring(t, p)) {
    if (!can_read(shm, p)) return wait(t, p);
    mpj_pull_refuse(p);
    go_on_without(t, p);
    return MPJ_AM_PENDING;
  }
  if (p->step != OPEN) return flow(t, p, moved);
  if (!ask(t, p)) { /* the source does not poll */
    if (others_want(t, p) && mpj_stream_close(stream_of(shm, p), p->ring_generation)) {
      give_ring_back(shm, p);
      p->late = true;
    }
    return wait(t, p);
  }
  *moved = true;
  return MPJ_AM_PENDING;
}

enum { PIECES = 1 << MPJ_TRY_CACHED | 1 << MPJ_TRY_PAST };

const struct mpj_mover mpj_shm_stream = {.name = "stream",
                                         .why =
                                             "pieces in shared memory go between any two layouts",
                                         .ways = PIECES,
                                         .move = move};

/* The same, where it is better than what could go straight. */
const struct mpj_mover mpj_shm_pieces = {
    .name = "stream",
    .why = "pieces have been measured to be faster here than straight copies",
    .ways = PIECES,
    .can = mpj_shm_can_pieces,
    .move = move};
