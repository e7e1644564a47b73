/* This file takes what has arrived for a step to where the step wants it. */
#include <assert.h>
#include <string.h>

#include "base/status.h"
#include "coll/comm/comm.h"
#include "coll/failure/mismatch.h"
#include "coll/steps/bundle.h"
#include "coll/steps/ends.h"
#include "coll/steps/steps.h"

int mpj_step_put(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_plan_step *step,
                 const void *data, MPJ_Count bytes)
{
  if (step->combines) return mpj_step_combine(comm, slot, step, data, 0, bytes);
  return mpj_end_unpack(comm, slot, &step->to, data, bytes);
}

/* Less than there is room for has come. If it waits in a temporary for its place to be read, that
 * is copied there whole: what does not come is what lies in that place. */
static MPJ_ASIDE int fill_temporary(struct mpj_comm *comm, struct mpj_slot *slot,
                                    const struct mpj_end *temporary)
{
  const struct mpj_operand like = mpj_temporary_like(slot->schedule, temporary->number);
  const struct mpj_call *call = slot->call;
  struct mpj_binder b = {.schedule = slot->schedule,
                         .call = call,
                         .byte = comm->byte.layout,
                         .scratch = slot->scratch};
  struct mpj_bound place;
  struct mpj_cursor cursor;
  int status = mpj_bind_operand(&b, like, &place, NULL);
  mpj_binder_end(&b);
  assert(like.nsegments == 0); /* of an operation that does not go by the size of its data */
  if (status == MPJ_SUCCESS)
    status = mpj_cursor_begin(&cursor, &place.view,
                              like.buffer == MPJ_BUFFER_SEND ? call->sendbuf : call->recvbuf);
  if (status != MPJ_SUCCESS) return status;
  mpj_cursor_pack(&cursor, mpj_end_address(slot, temporary), place.bytes);
  mpj_cursor_end(&cursor);
  return MPJ_SUCCESS;
}

/* After an error what is there may be no data, and least of all for a user's operation. */
static int take_data(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i, int source,
                     const struct mpj_arrival_message *m, const void *payload,
                     struct mpj_plan_step *step)
{
  _Alignas(16) unsigned char aligned[MPJ_INLINE_MAX];
  const struct mpj_end *end = step->combines ? &step->from : &step->to;
  int status = mpj_step_have_place(slot, step, m->kind);
  if (status != MPJ_SUCCESS) return status;
  if (!step->combines && mpj_message_bytes(m) < step->bytes && end->buffer == MPJ_BUFFER_TEMP) {
    status = fill_temporary(comm, slot, end);
    if (status != MPJ_SUCCESS) return status;
  }
  if (m->kind == MPJ_ARRIVAL_ADVERT) return mpj_transfer_queue_pull(comm, slot, i, source, m, end);
  if (step->combines && slot->status != MPJ_SUCCESS) return MPJ_SUCCESS;
  if (m->kind == MPJ_ARRIVAL_INLINE) payload = memcpy(aligned, m->data, sizeof aligned);
  return mpj_step_put(comm, slot, step, payload, mpj_message_bytes(m));
}

static int take(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i, int source,
                const struct mpj_arrival_message *m, const void *payload)
{
  struct mpj_plan_step *step = &slot->plan->steps[i], made;
  if (m->kind == MPJ_ARRIVAL_POISON && m->digest == MPJ_ERR_SIGNATURE &&
      slot->schedule->root == MPJ_SPARSE_ALLTOALL)
    return mpj_step_unsent(comm, slot, i, source);
  if (m->kind == MPJ_ARRIVAL_POISON)
    return mpj_error((int)m->digest, "%s on rank %d: rank %d could not send its data: %s",
                     mpj_schedule_name(slot->schedule), comm->rank, source,
                     mpj_error_name((int)m->digest));
  if (step->to.buffer == MPJ_BUFFER_BUNDLE) {
    made = *step;
    const int status = mpj_bundle_expect(comm, slot, mpj_message_bytes(m), &made);
    if (status != MPJ_SUCCESS) return status;
    step = &made;
  }
  if (!mpj_step_takes(slot, step, mpj_message_bytes(m), m->digest))
    return mpj_step_mismatch(comm, slot, i, source, mpj_message_bytes(m), m->digest);
  return take_data(comm, slot, i, source, m, payload, step);
}

int mpj_step_take(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i, int source,
                  const struct mpj_arrival_message *message, const void *payload)
{
  const int status = take(comm, slot, i, source, message, payload);
  if (status != MPJ_SUCCESS && status != MPJ_AM_PENDING) mpj_arrival_decline(comm, source, message);
  return status;
}
