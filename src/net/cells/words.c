/* This file has what ranks tell each other without a cell: common memory, and their states. */
#include "net/cells/cells.h"
#include "net/net.h"

static struct mpj_cells *cells_of(struct mpj_transport *t)
{
  return (struct mpj_cells *)t;
}

unsigned char *mpj_cells_common(struct mpj_transport *t, int rank, unsigned extent)
{
  struct mpj_cells *c = cells_of(t);
  if (extent >= MPJ_EXTENTS_AT_ONCE) return c->further(c, rank, extent);
  return mpj_segment_common(c->segment, rank, extent);
}

void mpj_cells_wake(struct mpj_transport *t, int rank)
{
  struct mpj_cells *c = cells_of(t);
  if (rank == c->rank) {
    mpj_segment_rouse(c->segment, rank);
    return;
  }
  if (rank != MPJ_NET_EVERYBODY) {
    mpj_segment_wake(c->segment, rank);
    return;
  }
  for (int peer = 0; peer < c->nranks; peer++)
    mpj_segment_wake(c->segment, peer);
}

enum mpj_rank_state mpj_cells_peer_state(struct mpj_transport *t, int peer, int *cause)
{
  struct mpj_rank_line *line = mpj_segment_rank(cells_of(t)->segment, peer);
  const uint32_t state = atomic_load_explicit(&line->state, memory_order_acquire);
  if (cause) *cause = atomic_load_explicit(&line->cause, memory_order_relaxed);
  return state > MPJ_RANK_DEAD ? MPJ_RANK_DEAD : (enum mpj_rank_state)state;
}
