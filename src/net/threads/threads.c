/* This file is the transport between threads: a pull reads the exposed view
 * through the owner's own record and copies layout to layout. Where the ranks fit
 * the cores the owner, when it polls, copies from the other end meanwhile. */
#include "net/threads/threads.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/least.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/stream.h"
#include "net/cells/cells.h"
#include "net/cells/cells_poll.h"
#include "net/cells/exposure.h"
#include "net/cells/share.h"
#include "net/pull/pull.h"
#include "net/threads/extents.h"

int mpj_threads_segment_create(int nranks, struct mpj_segment **segment)
{
  if (nranks < 1) return mpj_error(MPJ_ERR_ARG, "nranks is %d, must be 1 or more", nranks);
  const struct mpj_segment_config config = mpj_segment_config_for(nranks, false);
  const size_t bytes = mpj_segment_bytes(&config) + mpj_extents_bytes(nranks);
  void *memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for a segment of %zu bytes for %d ranks: %s", bytes,
                     nranks, strerror(errno));
  mpj_segment_format(memory, &config);
  *segment = memory;
  return MPJ_SUCCESS;
}

void mpj_threads_segment_free(struct mpj_segment *segment)
{
  mpj_extents_end(segment);
  munmap(segment, (size_t)segment->bytes + mpj_extents_bytes(segment->config.nranks));
}

struct threads {
  struct mpj_cells cells; /* first */
  struct mpj_pulls pulls;
};

static struct mpj_cells *cells_of(const struct mpj_pulls *t)
{
  return (struct mpj_cells *)t->transport;
}

static struct mpj_exposure *exposure_of(const struct mpj_pulls *t, const struct mpj_pull *p)
{
  return mpj_segment_exposure(cells_of(t)->segment, p->source, mpj_exposure_index(p->remote.id));
}

/* Begin to read what is exposed; NULL: it is no longer there. On success end_read must follow. */
static const struct mpj_cells_exposed *begin_read(const struct mpj_pulls *t,
                                                  const struct mpj_pull *p)
{
  struct mpj_exposure *e = exposure_of(t, p);
  if (!mpj_exposure_begin_read(e, mpj_exposure_generation(p->remote.id))) return NULL;
  return atomic_load_explicit(&e->owner_data, memory_order_relaxed);
}

static void end_read(const struct mpj_pulls *t, const struct mpj_pull *p, bool pulled)
{
  mpj_exposure_end_read(exposure_of(t, p), mpj_exposure_generation(p->remote.id), pulled);
  if (pulled) mpj_segment_wake(cells_of(t)->segment, p->source);
}

/* By both sides */

/* Copy chunk `i` of a transfer of `bytes` bytes. Both cursors are the caller's own. */
static void copy_chunk(struct mpj_cursor *to, MPJ_Count first, struct mpj_cursor *from,
                       MPJ_Count bytes, uint32_t chunk, uint32_t i)
{
  const MPJ_Count at = (MPJ_Count)i * chunk;
  mpj_cursor_seek(to, first + at);
  mpj_cursor_seek(from, at);
  const MPJ_Count n = mpj_least(chunk, bytes - at);
  if (!to->program && !from->program && bytes >= MPJ_STREAM_LEAST)
    mpj_stream_copy(to->origin + to->offset, from->origin + from->offset, (size_t)n);
  else
    mpj_cursor_copy(to, from, n);
}

/* Take chunks from the front for a while; whether all are in place, the owner's too. */
static bool copy_front(struct mpj_exposure *e, struct mpj_pull *p, struct mpj_cursor *src)
{
  enum { BYTES_PER_POLL = 4 << 20 };
  const uint32_t generation = mpj_exposure_generation(p->remote.id);
  struct mpj_cursor to = p->whole;
  uint32_t i;
  for (MPJ_Count moved = 0; moved < BYTES_PER_POLL && mpj_share_take_front(e, generation, &i);
       moved += p->chunk)
    copy_chunk(&to, p->first, src, src->bytes, p->chunk, i);
  return mpj_share_finish(e, generation);
}

static int share_some(struct mpj_pulls *t, struct mpj_pull *p, bool *moved)
{
  const struct mpj_cells_exposed *x = begin_read(t, p);
  struct mpj_cursor src;
  bool all = false;
  if (!x) return mpj_pull_withdrawn(t, p->source);
  if (mpj_cursor_begin(&src, &x->view, x->base) == MPJ_SUCCESS) {
    all = copy_front(exposure_of(t, p), p, &src);
    mpj_cursor_end(&src);
  }
  end_read(t, p, all);
  if (!all) return MPJ_AM_PENDING;
  *moved = true;
  mpj_cursor_seek(p->dst, p->dst->bytes);
  return MPJ_SUCCESS;
}

/* Offer the owner to work at it, where that pays; while the exposure is being read. The offer's
 * address is that of the table's entry, which stays while a chunk is taken. */
static bool can_share(struct mpj_pulls *t, struct mpj_pull *p)
{
  const struct mpj_cells *c = cells_of(t);
  const MPJ_Count bytes = mpj_cursor_remaining(p->dst);
  if (!p->complete || p->how.take || bytes < c->share_least || mpj_cells_gives(c)) return false;
  p->chunk = mpj_share_chunk(bytes);
  p->whole = *p->dst;
  const struct mpj_cells_exposed *x = p->chunk > 0 ? begin_read(t, p) : NULL;
  if (!x) return false;
  const struct mpj_share_offer offer = {
      .to = (uint64_t)(uintptr_t)p, .bytes = bytes, .chunk = p->chunk, .rank = c->rank};
  const bool shares =
      mpj_view_bytes(&x->view) == bytes &&
      mpj_share_begin(exposure_of(t, p), mpj_exposure_generation(p->remote.id), &offer);
  end_read(t, p, false);
  return shares;
}

/* The owner's part: one chunk from the back. */
static bool help(struct mpj_cells *c, unsigned i)
{
  const struct mpj_cells_exposed *x = &c->exposed[i];
  struct mpj_exposure *e = mpj_segment_exposure(c->segment, c->rank, i);
  struct mpj_share_offer offer;
  struct mpj_cursor src;
  uint32_t chunk;
  if (!mpj_share_take_back(e, x->generation, &chunk, &offer)) return false;
  bool moved = false;
  if (mpj_cursor_begin(&src, &x->view, x->base) == MPJ_SUCCESS) {
    const struct mpj_pull *p = (const struct mpj_pull *)(uintptr_t)offer.to;
    struct mpj_cursor to = p->whole;
    copy_chunk(&to, to.offset, &src, offer.bytes, offer.chunk, chunk);
    mpj_cursor_end(&src);
    moved = true;
  }
  mpj_share_give_back(e, x->generation, moved);
  return true;
}

/* The buffers of pulls that have not ended are about to be the caller's again. */
static bool stop_sharing(struct mpj_pulls *t, struct mpj_pull *p)
{
  return mpj_share_cancel(exposure_of(t, p), mpj_exposure_generation(p->remote.id));
}

/* By the receiver alone */

/* Whoever takes the data may do so where it is, if it is dense. */
static bool take_in_place(struct mpj_pull *p, const struct mpj_cursor *src)
{
  if (!p->how.take || src->program || (uintptr_t)src->origin % (size_t)p->how.unit != 0)
    return false;
  mpj_pull_put(p, src->origin, src->bytes);
  return true;
}

static int copy_exposed(const struct mpj_cells_exposed *x, struct mpj_pull *p)
{
  const MPJ_Count bytes = mpj_view_bytes(&x->view), room = mpj_cursor_remaining(p->dst);
  struct mpj_cursor src;
  if (bytes != room)
    return mpj_error(MPJ_ERR_SIGNATURE, "a pull of %lld bytes met %lld bytes of data",
                     (long long)room, (long long)bytes);
  const int status = mpj_cursor_begin(&src, &x->view, x->base);
  if (status != MPJ_SUCCESS) return status;
  if (!take_in_place(p, &src)) mpj_cursor_copy(p->dst, &src, bytes);
  mpj_cursor_end(&src);
  return MPJ_SUCCESS;
}

static int copy_all(struct mpj_pulls *t, struct mpj_pull *p, bool *moved)
{
  const struct mpj_cells_exposed *x = begin_read(t, p);
  *moved = true;
  if (!x) return mpj_pull_withdrawn(t, p->source);
  const int status = copy_exposed(x, p);
  end_read(t, p, true);
  return status;
}

static const struct mpj_mover share = {
    .name = "copy",
    .why = "the ranks share an address space and both have cores: each copies a part",
    .can = can_share,
    .move = share_some,
    .stop = stop_sharing};
static const struct mpj_mover copy = {
    .name = "copy", .why = "the ranks share an address space", .move = copy_all};
static const struct mpj_mover *const movers[] = {&share, &copy, NULL};

static int threads_pull(struct mpj_transport *transport, int source,
                        const struct mpj_am_remote *remote, struct mpj_cursor *dst,
                        const struct mpj_pull_how *how, mpj_am_complete_fn *complete, void *arg)
{
  struct threads *t = (struct threads *)transport;
  if (!dst) return mpj_cells_decline(transport, source, remote);
  return mpj_pulls_begin(&t->pulls, source, remote, dst, how, complete, arg);
}

static bool poll_pulls(struct mpj_cells *c)
{
  struct threads *t = (struct threads *)c;
  return t->pulls.active > 0 && mpj_pulls_poll(&t->pulls);
}

static void idle(void *ctx, unsigned *count)
{
  mpj_cells_idle(ctx, count, 0);
}

static void threads_close(struct mpj_transport *transport, enum mpj_rank_state state, int cause)
{
  struct threads *t = (struct threads *)transport;
  mpj_pulls_stop(&t->pulls, idle, transport);
  mpj_cells_end(&t->cells, state, cause);
  mpj_free(t);
}

static const struct mpj_transport_ops threads_ops = {.name = "threads",
                                                     .send_short = mpj_cells_send_short,
                                                     .send_eager = mpj_cells_send_eager,
                                                     .expose = mpj_cells_expose,
                                                     .withdraw = mpj_cells_withdraw,
                                                     .pull = threads_pull,
                                                     .release = mpj_cells_release,
                                                     .take = mpj_cells_take,
                                                     .poll = mpj_cells_poll,
                                                     .idle = mpj_cells_idle,
                                                     .common = mpj_cells_common,
                                                     .wake = mpj_cells_wake,
                                                     .peer_state = mpj_cells_peer_state,
                                                     .close = threads_close};

int mpj_threads_open(struct mpj_segment *segment, int rank, struct mpj_net **net)
{
  struct threads *t = mpj_alloc_array(1, sizeof *t);
  if (!t) return mpj_error(MPJ_ERR_NO_MEM, "no memory for rank %d's endpoint", rank);
  struct mpj_cells *c = &t->cells;
  c->head.ops = &threads_ops;
  c->poll_long = poll_pulls;
  t->pulls.rank = rank;
  t->pulls.transport = &c->head;
  t->pulls.movers = movers;
  c->help = help;
  c->further = mpj_threads_further;
  const int status = mpj_cells_begin(c, segment, rank);
  if (status != MPJ_SUCCESS) {
    mpj_free(t);
    return status;
  }
  c->net.reads_all = true;
  *net = &c->net;
  return MPJ_SUCCESS;
}
