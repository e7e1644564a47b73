/* This file is the receiver's side of long data between processes: where a pull begins. */
#include "base/machine/topology.h"
#include "base/machine/topology_load.h"
#include "base/stream.h"
#include "net/shm/state.h"

/* In the order of preference. */
static const struct mpj_mover *const movers[] = {
    &mpj_shm_pieces, &mpj_shm_both,   &mpj_shm_read, &mpj_shm_columns,
    &mpj_shm_write,  &mpj_shm_stream, NULL};

void mpj_shm_pulls_begin(struct mpj_shm *shm)
{
  shm->pulls.movers = movers;
  enum { CACHES = 2 };
  const MPJ_Count l2 = mpj_l2_bytes();
  shm->pulls.transport = &shm->cells.head;
  shm->rings = (1u << MPJ_STREAMS) - 1;
  shm->past_caches = l2 > 0 ? CACHES * l2 : MPJ_STREAM_LEAST;
}

int mpj_shm_pull(struct mpj_transport *t, int source, const struct mpj_am_remote *remote,
                 struct mpj_cursor *dst, const struct mpj_pull_how *how,
                 mpj_am_complete_fn *complete, void *arg)
{
  struct mpj_shm *shm = (struct mpj_shm *)t;
  shm->pulls.rank = shm->cells.rank;
  if (!dst || mpj_cursor_remaining(dst) == 0) return mpj_cells_decline(t, source, remote);
  return mpj_pulls_begin(&shm->pulls, source, remote, dst, how, complete, arg);
}
