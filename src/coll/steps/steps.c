/* This file runs the steps of a schedule: which function does what, what is passed over, and
 * what follows when one is complete. */
#include "coll/steps/steps.h"
#include "coll/comm/comm.h"
#include "coll/plan/binding.h"
#include "coll/run/early.h"
#include "coll/steps/bundle.h"
#include "coll/steps/posts.h"
#include "coll/steps/verdict.h"

/* Whether the step would work on what an earlier one has failed to provide: its
 * bytes are no data, and least of all elements to give to a user's operation. */
static bool is_moot(const struct mpj_slot *slot, const struct mpj_step *step)
{
  const struct mpj_schedule *s = slot->schedule;
  if (slot->status == MPJ_SUCCESS) return false;
  const struct mpj_operand src = mpj_step_src(s, step), dst = mpj_step_dst(s, step);
  const bool local = step->kind == MPJ_STEP_COPY || step->kind == MPJ_STEP_REDUCE;
  if (src.buffer == MPJ_BUFFER_BUNDLE || dst.buffer == MPJ_BUFFER_BUNDLE)
    return false; /* bundles know what they lack */
  return local && (s->waits[step - s->steps] > 0 || src.buffer == MPJ_BUFFER_TEMP);
}

int mpj_step_run(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i)
{
  const struct mpj_step *step = &slot->schedule->steps[i];
  if (is_moot(slot, step)) return MPJ_SUCCESS;
  if (slot->relayed && step->kind == MPJ_STEP_SEND && slot->forwarded[i]) return MPJ_SUCCESS;
  switch (step->kind) {
  case MPJ_STEP_SIGNAL:
    return mpj_step_run_signal(comm, slot, step);
  case MPJ_STEP_MEET:
    return mpj_step_run_meet(comm, slot, step);
  case MPJ_STEP_POST:
    return mpj_post_run(comm, slot, i);
  case MPJ_STEP_SEND:
    return mpj_step_run_send(comm, slot, i);
  case MPJ_STEP_COPY:
    return mpj_step_run_copy(comm, slot, step);
  case MPJ_STEP_REDUCE:
    return mpj_step_run_reduce(comm, slot, step);
  case MPJ_STEP_JUDGE:
    return mpj_step_run_judge(comm, slot, step);
  case MPJ_STEP_RECV:
    mpj_early_take(comm, slot, i);
    return MPJ_AM_PENDING;
  case MPJ_STEP_AWAIT:
    break;
  }
  return MPJ_SUCCESS;
}
