/* This file settles what a pair of a sparse Alltoall sends that is empty at its receiver. */
#include "coll/failure/one_sided.h"

#include "base/status.h"
#include "coll/closing/closing.h"
#include "coll/failure/difference.h"
#include "coll/failure/difference_report.h"
#include "coll/failure/failure.h"
#include "coll/failure/mismatch.h"

bool mpj_one_sided_came(struct mpj_comm *comm, struct mpj_slot *slot, int source,
                        const struct mpj_arrival_message *m)
{
  const struct mpj_called mine = slot->schedule->called;
  if (!mpj_called_sparse(mine) || !mpj_called_fit(mpj_called_by(m), mine) ||
      (unsigned)m->bit != mpj_distance_bit(source, comm->rank, comm->size))
    return false;
  if (m->kind == MPJ_ARRIVAL_POISON) return true; /* an answer to what has been settled meanwhile */
  if (mpj_schedule_step_of(slot->schedule, m->bit) != MPJ_NO_STEP) return false;
  mpj_operation_note_error(slot,
                           mpj_step_unwanted(comm, slot, source, mpj_message_bytes(m), m->digest));
  return true;
}

bool mpj_one_sided_late(struct mpj_comm *comm, int source, struct mpj_called mine,
                        const struct mpj_arrival_message *m)
{
  if (!mpj_called_sparse(mine) || !mpj_called_fit(mpj_called_by(m), mine)) return false;
  if (m->kind == MPJ_ARRIVAL_POISON) return true;
  if (comm->strayed) return true; /* one is enough */
  comm->strayed = true;
  comm->looks = 1;
  comm->stray = m->sequence;
  comm->stray_from = source;
  if (mpj_closing_has_begun(comm)) mpj_difference_of_stray(comm);
  return true;
}

void mpj_one_sided_tell(struct mpj_comm *comm, struct mpj_slot *slot)
{
  /* A part of another function's call would be undone on this rank alone. */
  if (!comm->strayed || slot->abandoned || slot->status != MPJ_SUCCESS || slot->tells ||
      slot->call->part_of)
    return;
  comm->strayed = false;
  mpj_operation_note_error(slot, mpj_stray_error(comm));
}

void mpj_one_sided_look(struct mpj_comm *comm, const struct mpj_slot *slot)
{
  comm->looks = mpj_called_sparse(slot->schedule->called) || comm->strayed;
  if (comm->net) mpj_net_poll(comm->net);
}
