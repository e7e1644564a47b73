/* This file runs the steps that combine in a rank's own memory. */
#include "coll/comm/context.h"
#include "coll/op/op.h"
#include "coll/steps/ends.h"
#include "coll/steps/steps.h"

static MPJ_ASIDE int combine_otherwise(struct mpj_comm *comm, struct mpj_slot *slot,
                                       const struct mpj_plan_step *step, const void *packed,
                                       MPJ_Count at, MPJ_Count bytes)
{
  const struct mpj_call *call = slot->call;
  struct mpj_cursor out;
  int status = mpj_end_have(slot, &step->to);
  if (status != MPJ_SUCCESS) return status;
  if (step->to.dense) return mpj_step_combine(comm, slot, step, packed, at, bytes);
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

int mpj_step_combine(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_plan_step *step,
                     const void *packed, MPJ_Count at, MPJ_Count bytes)
{
  const struct mpj_plan *plan = slot->plan;
  if (!step->to.dense || !mpj_end_is_there(slot, &step->to))
    return combine_otherwise(comm, slot, step, packed, at, bytes);
  plan->kernel(packed, mpj_end_address(slot, &step->to) + at, bytes / plan->unit);
  return MPJ_SUCCESS;
}

int mpj_step_run_reduce(struct mpj_comm *comm, struct mpj_slot *slot,
                        const struct mpj_plan_step *step)
{
  if (step->bytes == 0) return MPJ_SUCCESS;
  const int status = mpj_end_have(slot, &step->from);
  if (status != MPJ_SUCCESS) return status;
  return mpj_step_combine(comm, slot, step, mpj_end_address(slot, &step->from), 0, step->bytes);
}
