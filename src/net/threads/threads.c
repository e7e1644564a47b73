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
#include "net/cells/exposure.h"
#include "net/cells/share.h"

int mpj_threads_segment_create(int nranks, struct mpj_segment **segment)
{
  if (nranks < 1) return mpj_error(MPJ_ERR_ARG, "nranks is %d, must be 1 or more", nranks);
  const struct mpj_segment_config config = mpj_segment_config_for(nranks, false);
  const size_t bytes = mpj_segment_bytes(&config);
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
  munmap(segment, (size_t)segment->bytes);
}

/* A pull at which the owner helps and which did not end in its call. */
struct thread_pull {
  bool active;
  int source;
  struct mpj_am_remote remote;
  struct mpj_cursor *dst; /* borrowed */
  struct mpj_cursor to;   /* dst as it was when the pull began: what the owner reads */
  uint32_t chunk;         /* bytes */
  mpj_am_complete_fn *complete;
  void *arg;
};
enum { THREAD_PULLS = 16 };

struct threads {
  struct mpj_cells cells; /* first */
  unsigned active;
  struct thread_pull pulls[THREAD_PULLS];
};

static int withdrawn(const struct mpj_cells *c, int source)
{
  return mpj_error(MPJ_ERR_INTERNAL, "rank %d withdrew the data that rank %d was to pull", source,
                   c->rank);
}

static struct mpj_exposure *exposure_of(struct mpj_cells *c, const struct thread_pull *p)
{
  return mpj_segment_exposure(c->segment, p->source, mpj_exposure_index(p->remote.id));
}

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
static bool copy_front(struct mpj_exposure *e, struct thread_pull *p, struct mpj_cursor *src)
{
  enum { BYTES_PER_POLL = 4 << 20 };
  const uint32_t generation = mpj_exposure_generation(p->remote.id);
  struct mpj_cursor to = p->to;
  uint32_t i;
  for (MPJ_Count moved = 0; moved < BYTES_PER_POLL && mpj_share_take_front(e, generation, &i);
       moved += p->chunk)
    copy_chunk(&to, p->to.offset, src, src->bytes, p->chunk, i);
  return mpj_share_finish(e, generation);
}

/* Work at a pull that is shared. MPJ_AM_PENDING: there is more to come. */
static int share_some(struct mpj_cells *c, struct thread_pull *p)
{
  struct mpj_exposure *e = exposure_of(c, p);
  struct mpj_cursor src;
  if (!mpj_exposure_begin_read(e, mpj_exposure_generation(p->remote.id)))
    return withdrawn(c, p->source);
  const struct mpj_cells_exposed *x = atomic_load_explicit(&e->owner_data, memory_order_relaxed);
  bool all = false;
  if (mpj_cursor_begin(&src, &x->view, x->base) == MPJ_SUCCESS) {
    all = copy_front(e, p, &src);
    mpj_cursor_end(&src);
  }
  mpj_exposure_end_read(e, mpj_exposure_generation(p->remote.id), all);
  if (!all) return MPJ_AM_PENDING;
  mpj_segment_wake(c->segment, p->source);
  mpj_cursor_seek(p->dst, p->dst->bytes);
  return MPJ_SUCCESS;
}

/* The owner's part: one chunk from the back. The offer's address is that of the
 * receiver's record, which stays while a chunk is taken. */
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
    const struct thread_pull *p = (const struct thread_pull *)(uintptr_t)offer.to;
    struct mpj_cursor to = p->to;
    copy_chunk(&to, p->to.offset, &src, offer.bytes, offer.chunk, chunk);
    mpj_cursor_end(&src);
    moved = true;
  }
  mpj_share_give_back(e, x->generation, moved);
  return true;
}

static bool poll_pulls(struct mpj_cells *c)
{
  struct threads *t = (struct threads *)c;
  bool moved = false;
  for (unsigned i = 0; i < THREAD_PULLS && t->active > 0; i++) {
    if (!t->pulls[i].active) continue;
    const int status = share_some(c, &t->pulls[i]);
    if (status == MPJ_AM_PENDING) continue;
    const struct thread_pull ended = t->pulls[i];
    t->pulls[i].active = false;
    t->active--;
    ended.complete(ended.arg, status);
    moved = true;
  }
  return moved;
}

static struct thread_pull *free_pull(struct threads *t)
{
  for (unsigned i = 0; i < THREAD_PULLS; i++)
    if (!t->pulls[i].active) return &t->pulls[i];
  return NULL;
}

/* Begin to share the pull, if that pays and can be. While somebody reads. */
static bool share(struct mpj_cells *c, struct mpj_exposure *e, struct thread_pull *p)
{
  const MPJ_Count bytes = mpj_cursor_remaining(p->dst);
  p->chunk = mpj_share_chunk(bytes);
  if (p->chunk == 0) return false;
  const struct mpj_share_offer offer = {
      .to = (uint64_t)(uintptr_t)p, .bytes = bytes, .chunk = p->chunk, .rank = c->rank};
  p->to = *p->dst;
  return mpj_share_begin(e, mpj_exposure_generation(p->remote.id), &offer);
}

/* Copy all of a view that is known to stay open. */
static int copy_exposed(const struct mpj_cells_exposed *x, struct mpj_cursor *dst)
{
  struct mpj_cursor src;
  const int status = mpj_cursor_begin(&src, &x->view, x->base);
  if (status != MPJ_SUCCESS) return status;
  mpj_cursor_copy(dst, &src, mpj_cursor_remaining(&src));
  mpj_cursor_end(&src);
  return MPJ_SUCCESS;
}

/* Pull from an exposure that is being read; *shared: the pull has only begun. */
static int begin_pull(struct threads *t, struct mpj_exposure *e, const struct thread_pull *wanted,
                      struct thread_pull **shared)
{
  const struct mpj_cells_exposed *x = atomic_load_explicit(&e->owner_data, memory_order_relaxed);
  const MPJ_Count bytes = mpj_view_bytes(&x->view), room = mpj_cursor_remaining(wanted->dst);
  if (bytes != room)
    return mpj_error(MPJ_ERR_SIGNATURE, "a pull of %lld bytes met %lld bytes of data",
                     (long long)room, (long long)bytes);
  const bool shares = !mpj_cells_gives(&t->cells) && wanted->complete;
  struct thread_pull *p = shares && room >= t->cells.share_least ? free_pull(t) : NULL;
  if (p) {
    *p = *wanted;
    if (share(&t->cells, e, p)) {
      *shared = p;
      return MPJ_AM_PENDING;
    }
  }
  return copy_exposed(x, wanted->dst);
}

static int threads_pull(struct mpj_transport *transport, int source,
                        const struct mpj_am_remote *remote, struct mpj_cursor *dst,
                        mpj_am_complete_fn *complete, void *arg)
{
  struct threads *t = (struct threads *)transport;
  struct mpj_cells *c = &t->cells;
  if (!dst) return mpj_cells_decline(transport, source, remote);
  transport->mover = "copy";
  const struct thread_pull wanted = {
      .source = source, .remote = *remote, .dst = dst, .complete = complete, .arg = arg};
  struct thread_pull *p = NULL;
  const unsigned i = mpj_exposure_index(remote->id);
  struct mpj_exposure *e = i < MPJ_EXPOSURES ? mpj_segment_exposure(c->segment, source, i) : NULL;
  if (!e || !mpj_exposure_begin_read(e, mpj_exposure_generation(remote->id)))
    return withdrawn(c, source);
  int status = begin_pull(t, e, &wanted, &p);
  mpj_exposure_end_read(e, mpj_exposure_generation(remote->id), !p);
  if (p) status = share_some(c, p);
  if (status == MPJ_AM_PENDING) {
    p->active = true;
    t->active++;
  } else if (!p) {
    mpj_segment_wake(c->segment, source);
  }
  return status;
}

/* The buffers of pulls that have not ended are about to be the caller's again. */
static void stop_pulls(struct threads *t)
{
  for (unsigned i = 0; i < THREAD_PULLS; i++) {
    const struct thread_pull *p = &t->pulls[i];
    unsigned idle = 0;
    while (p->active &&
           !mpj_share_cancel(exposure_of(&t->cells, p), mpj_exposure_generation(p->remote.id)))
      mpj_cells_idle(&t->cells.head, &idle, 0);
  }
}

static void threads_close(struct mpj_transport *transport, enum mpj_rank_state state, int cause)
{
  struct threads *t = (struct threads *)transport;
  stop_pulls(t);
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
  c->help = help;
  const int status = mpj_cells_begin(c, segment, rank);
  if (status != MPJ_SUCCESS) {
    mpj_free(t);
    return status;
  }
  *net = &c->net;
  return MPJ_SUCCESS;
}
