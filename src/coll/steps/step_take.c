/* This file takes what has arrived for a step to where the step wants it. */
#include <assert.h>
#include <string.h>

#include "base/status.h"
#include "coll/comm/comm.h"
#include "coll/failure/mismatch.h"
#include "coll/plan/binding.h"
#include "coll/steps/bundle.h"
#include "coll/steps/steps.h"

static int unpack_small(const struct mpj_bound *bound, const void *data, MPJ_Count bytes)
{
  MPJ_Aint start;
  if (mpj_view_dense(&bound->view, &start)) {
    if (bytes > 0) memcpy((char *)((uintptr_t)bound->base + (uintptr_t)start), data, (size_t)bytes);
    return MPJ_SUCCESS;
  }
  struct mpj_cursor cursor;
  const int status = mpj_cursor_begin(&cursor, &bound->view, bound->base);
  if (status != MPJ_SUCCESS) return status;
  mpj_cursor_unpack(&cursor, data, bytes);
  mpj_cursor_end(&cursor);
  return MPJ_SUCCESS;
}

/* Combine what has come within a message, or queue the pull of what has not. After an
 * error what is there may be no data, and least of all for a user's operation. */
static int take_to_combine(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i, int source,
                           const struct mpj_arrival_message *m, const void *payload)
{
  const struct mpj_step *step = &slot->schedule->steps[i];
  _Alignas(16) unsigned char aligned[MPJ_INLINE_MAX];
  if (m->kind != MPJ_ARRIVAL_INLINE) { /* taken also where it is not needed this time: so the
                                        * first call has allocated all that later ones may need */
    struct mpj_bound aside = {0};
    const int status =
        mpj_bind_operand(comm, slot, mpj_step_src(slot->schedule, step), &aside, NULL);
    if (status != MPJ_SUCCESS) return status;
    aside.view = mpj_bound_view(comm, &aside);
    if (m->kind == MPJ_ARRIVAL_ADVERT)
      return mpj_transfer_queue_pull(comm, slot, i, source, m, &aside);
  }
  if (slot->status != MPJ_SUCCESS) return MPJ_SUCCESS;
  if (m->kind == MPJ_ARRIVAL_INLINE) payload = memcpy(aligned, m->data, sizeof aligned);
  return mpj_step_reduce_into(comm, slot, mpj_step_dst(slot->schedule, step), payload);
}

/* Less than the operand has room for has come. If it waits in a temporary for its place to be read,
 * it is copied there whole: what does not come is what lies in that place. */
static int fill_temporary(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_operand dst,
                          const struct mpj_bound *temporary)
{
  struct mpj_bound place = {0};
  const int status =
      mpj_bind_operand(comm, slot, mpj_temporary_like(slot->schedule, dst.part), &place, NULL);
  assert(dst.nsegments == 0); /* of an operation that does not go by the size of its data */
  return status == MPJ_SUCCESS ? mpj_bound_pack(&place, temporary->base, temporary->bytes) : status;
}

static int take(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i, int source,
                const struct mpj_arrival_message *m, const void *payload)
{
  struct mpj_bound bound = {0};
  struct mpj_signature own;
  if (m->kind == MPJ_ARRIVAL_POISON && m->digest == MPJ_ERR_SIGNATURE &&
      slot->schedule->root == MPJ_SPARSE_ALLTOALL)
    return mpj_step_unsent(comm, slot, i, source);
  if (m->kind == MPJ_ARRIVAL_POISON)
    return mpj_error((int)m->digest, "%s on rank %d: rank %d could not send its data: %s",
                     mpj_schedule_name(slot->schedule), comm->rank, source,
                     mpj_error_name((int)m->digest));
  const struct mpj_operand dst = mpj_step_dst(slot->schedule, &slot->schedule->steps[i]);
  int status = dst.buffer == MPJ_BUFFER_BUNDLE
                   ? mpj_bundle_expect(comm, slot, dst, m->bytes, &bound, &own)
                   : mpj_bind_operand(comm, slot, dst, &bound, &own);
  if (status != MPJ_SUCCESS) return status;
  if (!mpj_step_takes(slot, &own, m->bytes, m->digest))
    return mpj_step_mismatch(comm, slot, i, source, m->bytes, m->digest, &bound, &own);
  if (mpj_step_combines(slot->schedule, &slot->schedule->steps[i]))
    return take_to_combine(comm, slot, i, source, m, payload);
  if (m->bytes < own.bytes && dst.buffer == MPJ_BUFFER_TEMP)
    status = fill_temporary(comm, slot, dst, &bound);
  if (status != MPJ_SUCCESS) return status;
  bound.view = mpj_bound_view(comm, &bound);
  if (m->kind == MPJ_ARRIVAL_ADVERT)
    return mpj_transfer_queue_pull(comm, slot, i, source, m, &bound);
  return unpack_small(&bound, m->kind == MPJ_ARRIVAL_INLINE ? m->data : payload, m->bytes);
}

void mpj_step_take(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i, int source,
                   const struct mpj_arrival_message *message, const void *payload)
{
  const int status = take(comm, slot, i, source, message, payload);
  if (status == MPJ_AM_PENDING) return;
  if (status != MPJ_SUCCESS) {
    mpj_operation_note_error(slot, status);
    mpj_arrival_decline(comm, source, message);
  }
  mpj_step_complete(slot, i);
}
