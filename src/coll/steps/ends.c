/* This file finds the ends of steps in memory, and moves data from and to them. */
#include <assert.h>
#include <string.h>

#include "base/scratch.h"
#include "base/status.h"
#include "coll/comm/comm.h"
#include "coll/steps/ends.h"
#include "coll/steps/steps.h"

int mpj_end_borrow(struct mpj_slot *slot, const struct mpj_end *end)
{
  const MPJ_Count bytes = slot->plan->temporaries[end->number];
  void *memory = mpj_scratch_take(slot->scratch, (size_t)bytes);
  if (!memory)
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for a temporary of %lld bytes in %s",
                     (long long)bytes, mpj_schedule_name(slot->schedule));
  slot->temporaries[end->number] = memory;
  return MPJ_SUCCESS;
}

struct mpj_view mpj_end_view(const struct mpj_comm *comm, const struct mpj_slot *slot,
                             const struct mpj_end *end, MPJ_Count bytes)
{
  if (end->dense) return (struct mpj_view){comm->byte.layout, bytes, 1, end->at};
  assert(end->at == 0);
  return slot->plan->views[end->view];
}

int mpj_end_cursor(const struct mpj_comm *comm, const struct mpj_slot *slot,
                   const struct mpj_end *end, MPJ_Count bytes, struct mpj_cursor *cursor)
{
  if (end->dense) {
    mpj_cursor_begin_bytes(cursor, comm->byte.layout, mpj_end_address(slot, end), bytes);
    return MPJ_SUCCESS;
  }
  const int status =
      mpj_cursor_begin(cursor, &slot->plan->views[end->view], mpj_end_base(slot, end));
  if (status == MPJ_SUCCESS) mpj_cursor_seek(cursor, end->at);
  return status;
}

int mpj_end_pack_pieces(const struct mpj_comm *comm, const struct mpj_slot *slot,
                        const struct mpj_end *end, void *out, MPJ_Count bytes)
{
  struct mpj_cursor cursor;
  const int status = mpj_end_cursor(comm, slot, end, bytes, &cursor);
  if (status != MPJ_SUCCESS) return status;
  mpj_cursor_pack(&cursor, out, bytes);
  mpj_cursor_end(&cursor);
  return MPJ_SUCCESS;
}

int mpj_end_unpack_pieces(const struct mpj_comm *comm, const struct mpj_slot *slot,
                          const struct mpj_end *end, const void *in, MPJ_Count bytes)
{
  struct mpj_cursor cursor;
  const int status = mpj_end_cursor(comm, slot, end, bytes, &cursor);
  if (status != MPJ_SUCCESS) return status;
  mpj_cursor_unpack(&cursor, in, bytes);
  mpj_cursor_end(&cursor);
  return MPJ_SUCCESS;
}
