/* This file tells how a pull between processes has ended: the owner that it has, the caller why. */
#include <errno.h>

#include "base/status.h"
#include "net/shm/state.h"

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
