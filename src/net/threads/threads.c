/* This file is the transport between threads: a pull reads the exposed view
 * through the owner's own record and copies layout to layout. */
#include "net/threads/threads.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/status.h"
#include "net/cells/cells.h"
#include "net/cells/exposure.h"

int mpj_threads_segment_create(int nranks, struct mpj_segment **segment)
{
  if (nranks < 1 || nranks > MPJ_THREAD_RANKS_MAX)
    return mpj_error(MPJ_ERR_ARG, "nranks is %d, one process takes 1 to %d thread ranks", nranks,
                     MPJ_THREAD_RANKS_MAX);
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

/* Copy from a view that is known to stay open. */
static int copy_exposed(const struct mpj_cells_exposed *x, struct mpj_cursor *dst)
{
  struct mpj_cursor src;
  const int status = mpj_cursor_begin(&src, &x->view, x->base);
  if (status != MPJ_SUCCESS) return status;
  const MPJ_Count bytes = mpj_cursor_remaining(&src), wanted = mpj_cursor_remaining(dst);
  if (bytes == wanted) mpj_cursor_copy(dst, &src, bytes);
  mpj_cursor_end(&src);
  if (bytes == wanted) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_INTERNAL, "a pull of %lld bytes met %lld bytes of data",
                   (long long)wanted, (long long)bytes);
}

static int threads_pull(struct mpj_transport *t, int source, const struct mpj_am_remote *remote,
                        struct mpj_cursor *dst, mpj_am_complete_fn *complete, void *arg)
{
  (void)complete; /* the data is there when this returns */
  (void)arg;
  struct mpj_cells *c = (struct mpj_cells *)t;
  const unsigned i = mpj_exposure_index(remote->id);
  struct mpj_exposure *e = i < MPJ_EXPOSURES ? mpj_segment_exposure(c->segment, source, i) : NULL;
  if (!e || !mpj_exposure_begin_read(e, mpj_exposure_generation(remote->id)))
    return mpj_error(MPJ_ERR_INTERNAL, "rank %d withdrew the data that rank %d was to pull", source,
                     c->rank);
  const int status = copy_exposed(atomic_load_explicit(&e->owner_data, memory_order_relaxed), dst);
  mpj_exposure_end_read(e, mpj_exposure_generation(remote->id), true);
  mpj_segment_wake(c->segment, source);
  return status;
}

static void threads_close(struct mpj_transport *t, enum mpj_rank_state state, int cause)
{
  mpj_cells_end((struct mpj_cells *)t, state, cause);
  mpj_free(t);
}

static const struct mpj_transport_ops threads_ops = {.name = "threads",
                                                     .send_short = mpj_cells_send_short,
                                                     .send_eager = mpj_cells_send_eager,
                                                     .signal = mpj_cells_signal,
                                                     .done = mpj_cells_done,
                                                     .meet = mpj_cells_meet,
                                                     .expose = mpj_cells_expose,
                                                     .withdraw = mpj_cells_withdraw,
                                                     .pull = threads_pull,
                                                     .decline = mpj_cells_decline,
                                                     .release = mpj_cells_release,
                                                     .window = mpj_cells_window,
                                                     .poll = mpj_cells_poll,
                                                     .idle = mpj_cells_idle,
                                                     .peer_state = mpj_cells_peer_state,
                                                     .changes = mpj_cells_changes,
                                                     .close = threads_close};

int mpj_threads_open(struct mpj_segment *segment, int rank, struct mpj_net **net)
{
  struct mpj_cells *c = mpj_alloc_array(1, sizeof *c);
  if (!c) return mpj_error(MPJ_ERR_NO_MEM, "no memory for rank %d's endpoint", rank);
  c->head.ops = &threads_ops;
  const int status = mpj_cells_begin(c, segment, rank);
  if (status != MPJ_SUCCESS) {
    mpj_free(c);
    return status;
  }
  *net = &c->net;
  return MPJ_SUCCESS;
}
