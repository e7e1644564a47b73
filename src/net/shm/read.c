/* This file is the mover by which the receiver alone reads the source's memory. */
#include <errno.h>

#include "net/shm/state.h"

/* Of columns the place in dst only says how much there is; tiles come to all of it. */
static MPJ_Count read_next(struct mpj_shm *shm, struct mpj_pull *p)
{
  const MPJ_Count done = mpj_pull_done(p);
  if (p->columns.unit == 0)
    return mpj_shm_vm_read(shm, p->source, &p->from, done, p->dst, mpj_cursor_remaining(p->dst));
  const MPJ_Count moved =
      mpj_shm_read_columns(shm, p->source, p->from.address, &p->columns, done, p->dst);
  if (moved > 0) mpj_cursor_seek(p->dst, p->dst->offset + moved);
  return moved;
}

/* One call's worth. A pull that failed counts as taken, too. After process_vm was refused: never
 * again in this process. */
static int read_some(struct mpj_pulls *t, struct mpj_pull *p, bool *moved)
{
  struct mpj_shm *shm = mpj_shm_of(t);
  struct mpj_exposure *e = mpj_shm_exposure(shm, p);
  const uint32_t generation = mpj_exposure_generation(p->remote.id);
  *moved = true;
  if (!mpj_exposure_begin_read(e, generation)) return mpj_pull_withdrawn(t, p->source);
  const MPJ_Count bytes = read_next(shm, p);
  const bool last = bytes > 0 && mpj_cursor_remaining(p->dst) == 0;
  const bool refused = bytes == -EPERM || bytes == -ENOSYS;
  const bool failed = bytes < 0 && !refused;
  mpj_exposure_end_read(e, generation, last || failed);
  if (last || failed) mpj_segment_wake(shm->cells.segment, p->source);
  if (last) return MPJ_SUCCESS;
  if (failed) return mpj_shm_vm_failed(shm, p, bytes);
  if (refused) mpj_shm_refused(shm, p);
  return MPJ_AM_PENDING;
}

const struct mpj_mover mpj_shm_read = {
    .name = "read",
    .why = "the source lies in dense or long rows that this rank can read",
    .ways = 1u << MPJ_TRY_ALONE,
    .can = mpj_shm_can_read,
    .move = read_some};

const struct mpj_mover mpj_shm_columns = {
    .name = "columns",
    .why = "the source is the columns of a matrix, and each is dense here",
    .ways = 1u << MPJ_TRY_ALONE,
    .can = mpj_shm_can_columns,
    .move = read_some};
