/* This file runs the steps of a plan: which function does what, and what is passed over. */
#include "coll/steps/step_dispatch.h"

#include "coll/comm/comm.h"
#include "coll/steps/bundle.h"
#include "coll/steps/posts.h"
#include "coll/steps/verdict.h"

/* Whether the step would work on what an earlier one has failed to provide: its
 * bytes are no data, and least of all elements to give to a user's operation. */
static MPJ_ASIDE bool is_moot(const struct mpj_slot *slot, unsigned i)
{
  const struct mpj_plan_step *step = &slot->plan->steps[i];
  const bool local = step->kind == MPJ_STEP_COPY || step->kind == MPJ_STEP_REDUCE;
  if (step->from.buffer == MPJ_BUFFER_BUNDLE || step->to.buffer == MPJ_BUFFER_BUNDLE)
    return false; /* bundles know what they lack */
  return local && (slot->schedule->waits[i] > 0 || step->from.buffer == MPJ_BUFFER_TEMP);
}

/* Whether the signal of step i is here. */
static MPJ_HOT MPJ_ASIDE int await(struct mpj_comm *comm, struct mpj_slot *slot, unsigned bit)
{
  if (mpj_bits_test(&slot->seen, bit)) return MPJ_SUCCESS;
  const struct mpj_control_slot *c = &comm->window->slot[mpj_slot_number(comm, slot->sequence)];
  if (!(mpj_atomic_bits_load(&c->arrived, bit / 64) >> (bit % 64) & 1)) return MPJ_AM_AGAIN;
  mpj_bits_set(&slot->seen, bit);
  return MPJ_SUCCESS;
}

int mpj_step_run(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i)
{
  struct mpj_plan_step *step = &slot->plan->steps[i];
  if (slot->status != MPJ_SUCCESS && is_moot(slot, i)) return MPJ_SUCCESS;
  switch ((enum mpj_step_kind)step->kind) {
  case MPJ_STEP_SEND:
    if (step->posted && slot->posted) return MPJ_SUCCESS;
    if (slot->relayed && slot->forwarded[i])
      return slot->forwarded[i] == MPJ_FORWARDED ? MPJ_SUCCESS : MPJ_AM_PENDING;
    return mpj_step_run_send(comm, slot, step);
  case MPJ_STEP_RECV:
    if (step->posted && !mpj_bits_test(&slot->seen, step->bit)) return mpj_post_take(comm, slot, i);
    return mpj_step_run_receive(comm, slot, step);
  case MPJ_STEP_SIGNAL:
    return mpj_step_run_signal(comm, slot, step);
  case MPJ_STEP_AWAIT:
    return await(comm, slot, step->bit);
  case MPJ_STEP_MEET:
    return mpj_step_run_meet(comm, slot, step);
  case MPJ_STEP_POST:
    return mpj_post_run(comm, slot, i);
  case MPJ_STEP_COPY:
    return mpj_step_run_copy(comm, slot, step);
  case MPJ_STEP_REDUCE:
    return mpj_step_run_reduce(comm, slot, step);
  case MPJ_STEP_JUDGE:
    return mpj_step_run_judge(comm, slot, i);
  }
  return MPJ_SUCCESS;
}
