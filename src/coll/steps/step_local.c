/* This file runs the steps that work on a rank's own memory: reductions and copies. */
#include <string.h>

#include "coll/comm/context.h"
#include "coll/failure/mismatch.h"
#include "coll/op/op.h"
#include "coll/steps/bundle.h"
#include "coll/steps/steps.h"

/* Reduce */

int mpj_step_combine(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_plan_step *step,
                     const void *packed, MPJ_Count at, MPJ_Count bytes)
{
  const struct mpj_call *call = slot->call;
  const struct mpj_plan *plan = slot->plan;
  struct mpj_cursor out;
  int status = mpj_end_have(slot, &step->to);
  if (status != MPJ_SUCCESS) return status;
  if (step->to.dense) {
    plan->kernel(packed, mpj_end_address(slot, &step->to) + at, bytes / plan->unit);
    return MPJ_SUCCESS;
  }
  status = mpj_end_cursor(comm, slot, &step->to, step->bytes, &out);
  if (status != MPJ_SUCCESS) return status;
  if (at > 0) mpj_cursor_seek(&out, step->to.at + at);
  if (call->reduce > 0)
    status = mpj_cursor_reduce(&out, packed, bytes, (enum mpj_reduce_op)(call->reduce - 1));
  else if (call->op)
    status = mpj_op_combine(call->op, &out, packed, bytes, slot->scratch);
  else
    status = mpj_cursor_combine(&out, packed, bytes, call->combine, call->combine_ctx);
  mpj_cursor_end(&out);
  return status;
}

int mpj_step_run_reduce(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i)
{
  const struct mpj_plan_step *step = &slot->plan->steps[i];
  if (step->bytes == 0) return MPJ_SUCCESS;
  const int status = mpj_end_have(slot, &step->from);
  if (status != MPJ_SUCCESS) return status;
  return mpj_step_combine(comm, slot, step, mpj_end_address(slot, &step->from), 0, step->bytes);
}

/* Copy */

/* Up to here a copy between dense ends needs no cursor. */
enum { PLAIN_COPY_BYTES = 4096 };

static MPJ_ASIDE int copy_by_cursors(struct mpj_comm *comm, struct mpj_slot *slot,
                           const struct mpj_plan_step *step)
{
  struct mpj_cursor in, out;
  int status = mpj_end_cursor(comm, slot, &step->from, step->bytes, &in);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_end_cursor(comm, slot, &step->to, step->bytes, &out);
  if (status == MPJ_SUCCESS) {
    mpj_cursor_copy(&out, &in, step->bytes);
    mpj_cursor_end(&out);
  }
  mpj_cursor_end(&in);
  return status;
}

int mpj_step_run_copy(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i)
{
  const struct mpj_plan_step *step = &slot->plan->steps[i];
  const bool dense = step->from.dense && step->to.dense; /* and then no bundles */
  if (!dense && (step->from.buffer == MPJ_BUFFER_BUNDLE || step->to.buffer == MPJ_BUFFER_BUNDLE))
    return mpj_bundle_copy(comm, slot, i);
  if (step->unfit) return mpj_step_copy_mismatch(comm, slot, i);
  if (step->bytes == 0) return MPJ_SUCCESS;
  int status = mpj_end_have(slot, &step->from);
  if (status == MPJ_SUCCESS) status = mpj_end_have(slot, &step->to);
  if (status != MPJ_SUCCESS) return status;
  if (!dense || step->bytes > PLAIN_COPY_BYTES) return copy_by_cursors(comm, slot, step);
  mpj_copy_bytes(mpj_end_address(slot, &step->to), mpj_end_address(slot, &step->from),
                 (size_t)step->bytes);
  return MPJ_SUCCESS;
}
