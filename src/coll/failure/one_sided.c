/* This file settles what a pair of a sparse Alltoall sends that is empty at its receiver. */
#include "coll/failure/one_sided.h"

#include "base/status.h"
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
  mpj_operation_note_error(slot, mpj_step_unwanted(comm, slot, source, mpj_message_bytes(m), m->digest));
  return true;
}

bool mpj_one_sided_late(struct mpj_comm *comm, int source, struct mpj_called mine,
                        const struct mpj_arrival_message *m)
{
  if (!mpj_called_sparse(mine) || !mpj_called_fit(mpj_called_by(m), mine)) return false;
  if (m->kind == MPJ_ARRIVAL_POISON) return true;
  const struct mpj_cause cause = {.code = MPJ_ERR_SIGNATURE,
                                  .culprit = source,
                                  .difference = {.sequence = m->sequence,
                                                 .rank = {comm->rank, source},
                                                 .called = {mine, mpj_called_by(m)},
                                                 .made_by = mpj_comm_made_by(comm)}};
  mpj_cause_error(comm, &cause);
  mpj_operation_fail(comm, comm->completed, &cause);
  return true;
}
