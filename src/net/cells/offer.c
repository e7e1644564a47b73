/* This file offers data for others to pull: exposures, from the owner's side. */
#include "base/status.h"
#include "net/cells/cells.h"
#include "net/cells/exposure.h"
#include "net/cells/share.h"

static struct mpj_cells *cells_of(struct mpj_transport *t)
{
  return (struct mpj_cells *)t;
}

int mpj_cells_expose(struct mpj_transport *t, const struct mpj_view *view, void *base,
                     unsigned pulls, mpj_am_complete_fn *sent, void *arg,
                     struct mpj_am_remote *remote)
{
  struct mpj_cells *c = cells_of(t);
  const bool again = c->free_list != MPJ_EXPOSURE_NONE;
  const unsigned i = again ? c->free_list : c->exposed_ever;
  if (i == MPJ_EXPOSURES) return MPJ_AM_AGAIN;
  struct mpj_cells_exposed *x = &c->exposed[i];
  struct mpj_exposure *e = mpj_segment_exposure(c->segment, c->rank, i);
  MPJ_Aint start;
  const bool dense = mpj_view_dense(view, &start);
  if (!dense) mpj_exposure_describe(e, view, base);
  if (again)
    c->free_list = x->next;
  else
    c->exposed_ever++;
  atomic_store_explicit(&e->owner_data, x, memory_order_relaxed);
  x->view = *view;
  x->base = base;
  x->sent = sent;
  x->arg = arg;
  x->next = c->open_list;
  c->open_list = i;
  mpj_share_reset(e, mpj_exposure_next(e));
  x->generation = mpj_exposure_open(e, pulls);
  remote->id = mpj_exposure_id(i, x->generation);
  remote->address = dense ? (uint64_t)((uintptr_t)base + (uintptr_t)start) : 0;
  return MPJ_SUCCESS;
}

/* Move entry i from the open to the free list; `link` is what points to it. */
static void free_exposed(struct mpj_cells *c, unsigned *link, unsigned i)
{
  *link = c->exposed[i].next;
  c->exposed[i].generation = 0;
  c->exposed[i].next = c->free_list;
  c->free_list = i;
}

struct mpj_cells_exposed *mpj_cells_exposed_by_id(struct mpj_cells *c, uint64_t id)
{
  const unsigned i = mpj_exposure_index(id);
  if (i >= MPJ_EXPOSURES || mpj_exposure_generation(id) == 0) return NULL;
  return c->exposed[i].generation == mpj_exposure_generation(id) ? &c->exposed[i] : NULL;
}

static bool any_rank_died(struct mpj_cells *c)
{
  for (int i = 0; i < c->nranks; i++)
    if (mpj_cells_peer_state(&c->head, i, NULL) == MPJ_RANK_DEAD) return true;
  return false;
}

/* Whether to wait no longer for a reader. A process that was killed in the middle
 * never says that it has ended; a live one reads for some milliseconds at most.
 * A thread always ends its read. */
static bool reader_is_lost(struct mpj_cells *c, double begun)
{
  enum { PATIENCE_S = 1 };
  return c->segment->config.shared && MPJ_Wtime() - begun > PATIENCE_S && any_rank_died(c);
}

int mpj_cells_withdraw(struct mpj_transport *t, const struct mpj_am_remote *remote, bool known)
{
  (void)known; /* peers look at the exposure's word */
  struct mpj_cells *c = cells_of(t);
  struct mpj_cells_exposed *x = mpj_cells_exposed_by_id(c, remote->id);
  if (!x) return MPJ_SUCCESS;
  const unsigned i = mpj_exposure_index(remote->id);
  struct mpj_exposure *e = mpj_segment_exposure(c->segment, c->rank, i);
  const double begun = MPJ_Wtime();
  unsigned idle = 0;
  mpj_exposure_close(e);
  while (mpj_exposure_is_read(e) && !reader_is_lost(c, begun))
    mpj_cells_idle(t, &idle, 0);
  unsigned *link = &c->open_list;
  while (*link != i)
    link = &c->exposed[*link].next;
  free_exposed(c, link, i);
  return MPJ_SUCCESS;
}

/* Whether to help who pulls; where ranks share cores, whoever has data for several leaves it to
 * them, who have the cores as well. */
static bool may_help(const struct mpj_cells *c)
{
  if (c->share_least != MPJ_SHARE_LEAST_CROWDED) return c->share_least != MPJ_SHARE_NEVER;
  return c->exposed[c->open_list].next == MPJ_EXPOSURE_NONE;
}

bool mpj_cells_poll_exposures(struct mpj_cells *c)
{
  bool moved = false;
  unsigned *link = &c->open_list;
  while (*link != MPJ_EXPOSURE_NONE) {
    const unsigned i = *link;
    const struct mpj_cells_exposed x = c->exposed[i];
    struct mpj_exposure *e = mpj_segment_exposure(c->segment, c->rank, i);
    if (!mpj_exposure_is_finished(e)) {
      if (may_help(c) && mpj_share_is_open(e)) moved |= c->help(c, i);
      link = &c->exposed[i].next;
      continue;
    }
    mpj_exposure_close(e);
    free_exposed(c, link, i);
    x.sent(x.arg, MPJ_SUCCESS);
    moved = true;
    link = &c->open_list; /* sent may have opened or closed others */
  }
  return moved;
}

int mpj_cells_decline(struct mpj_transport *t, int source, const struct mpj_am_remote *remote)
{
  struct mpj_cells *c = cells_of(t);
  const unsigned i = mpj_exposure_index(remote->id);
  if (i >= MPJ_EXPOSURES) return MPJ_SUCCESS;
  mpj_exposure_take(mpj_segment_exposure(c->segment, source, i),
                    mpj_exposure_generation(remote->id));
  mpj_segment_wake(c->segment, source);
  return MPJ_SUCCESS;
}
