/* This file is the receiver's side of long data between processes: where a pull begins. */
#include <errno.h>

#include "base/status.h"
#include "net/shm/state.h"

/* In the order of preference. */
static const struct mpj_mover *const movers[] = {&mpj_shm_both,  &mpj_shm_read,   &mpj_shm_columns,
                                                 &mpj_shm_write, &mpj_shm_stream, NULL};

void mpj_shm_pulls_begin(struct mpj_shm *shm)
{
  shm->pulls.movers = movers;
  shm->pulls.transport = &shm->cells.head;
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

void mpj_shm_take_exposure(struct mpj_shm *shm, const struct mpj_pull *p)
{
  mpj_exposure_take(mpj_shm_exposure(shm, p), mpj_exposure_generation(p->remote.id));
  mpj_segment_wake(shm->cells.segment, p->source);
}

int mpj_shm_vm_failed(struct mpj_shm *shm, const struct mpj_pull *p, MPJ_Count error)
{
  if (error == -ESRCH)
    return mpj_error(MPJ_ERR_PEER, "rank %d died before rank %d had read its data", p->source,
                     shm->cells.rank);
  return mpj_error(MPJ_ERR_ARG, "a buffer of rank %d or rank %d is not all in memory (error %d)",
                   p->source, shm->cells.rank, (int)-error);
}
