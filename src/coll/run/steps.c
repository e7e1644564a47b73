/* This file runs the steps of a schedule: which function does what, what is passed over, and
 * what follows when one is complete. */
#include "coll/run/steps.h"
#include "base/status.h"
#include "coll/comm/comm.h"

void mpj_step_complete(struct mpj_slot *slot, uint16_t i)
{
  const struct mpj_schedule *s = slot->schedule;
  const struct mpj_step *step = &s->steps[i];
  slot->complete[i] = 1;
  slot->left--;
  for (unsigned k = 0; k < step->nnext; k++) {
    const uint16_t next = s->next[step->first_next + k];
    if (--slot->waits[next] == 0) slot->ready[slot->nready++] = next;
  }
}

/* Point */

/* Whether any await that the point depends on brought a no. */
static bool is_vetoed(struct mpj_comm *comm, const struct mpj_slot *slot, uint16_t point)
{
  if (!comm->net) return false;
  const struct mpj_schedule *s = slot->schedule;
  const struct mpj_control_slot *c = &comm->window->slot[mpj_slot_number(comm, slot->sequence)];
  for (uint16_t i = 0; i < point; i++) {
    const struct mpj_step *step = &s->steps[i];
    if (step->kind != MPJ_STEP_AWAIT) continue;
    for (unsigned k = 0; k < step->nnext; k++)
      if (s->next[step->first_next + k] == point &&
          (mpj_atomic_bits_load(&c->vetoed, step->bit / 64) >> (step->bit % 64) & 1))
        return true;
  }
  return false;
}

/* Choose. The steps of the other alternative are passed over when their turn
 * comes; those that wait for an arrival stop waiting for it. */
static int run_point(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i)
{
  const struct mpj_schedule *s = slot->schedule;
  const bool no =
      !mpj_operand_is_dense(comm, slot, mpj_step_src(s, &s->steps[i])) || is_vetoed(comm, slot, i);
  slot->chosen[i] = no;
  for (unsigned k = i + 1u; k < s->nsteps; k++) {
    const struct mpj_step *step = &s->steps[k];
    const bool arrives = step->kind == MPJ_STEP_RECV || step->kind == MPJ_STEP_AWAIT;
    const struct mpj_branch branch = mpj_step_branch(s, k);
    if (branch.point != i || branch.alternative == slot->chosen[i] || !arrives) continue;
    if (mpj_bits_test(&slot->seen, step->bit)) { /* a peer has chosen otherwise */
      mpj_operation_stranger(comm, slot, step->peer, NULL);
      return MPJ_AM_PENDING;
    }
    slot->waits[k]--;
  }
  return MPJ_SUCCESS;
}

bool mpj_step_is_passed_over(const struct mpj_slot *slot, uint16_t i)
{
  const struct mpj_branch branch = mpj_step_branch(slot->schedule, i);
  if (branch.point == MPJ_NO_STEP || !slot->complete[branch.point]) return false;
  return slot->chosen[branch.point] != branch.alternative;
}

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

/* Whether data goes straight where short data goes in a bundle. What cannot be bound goes
 * neither way: the bundle lacks it. */
static bool is_long(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step)
{
  struct mpj_bound bound = {0};
  const int status = mpj_bind_operand(comm, slot, mpj_step_src(slot->schedule, step), &bound, NULL);
  return status == MPJ_SUCCESS && bound.bytes > MPJ_SHORT_BYTES;
}

int mpj_step_run(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i)
{
  const struct mpj_step *step = &slot->schedule->steps[i];
  if (mpj_step_is_passed_over(slot, i) || is_moot(slot, step)) return MPJ_SUCCESS;
  if (slot->relayed && step->kind == MPJ_STEP_SEND && slot->chosen[i]) return MPJ_SUCCESS;
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
  case MPJ_STEP_POINT:
    return run_point(comm, slot, i);
  case MPJ_STEP_SEND_LONG:
    return is_long(comm, slot, step) ? mpj_step_run_send(comm, slot, i) : MPJ_SUCCESS;
  case MPJ_STEP_ADD_SHORT:
    return is_long(comm, slot, step) ? mpj_bundle_begin(slot, mpj_step_dst(slot->schedule, step))
                                     : mpj_bundle_copy(comm, slot, step);
  case MPJ_STEP_DELIVER:
    return mpj_bundle_deliver(comm, slot, step);
  case MPJ_STEP_RECV_EITHER:
  case MPJ_STEP_RECV:
    mpj_early_take(comm, slot, i);
    return MPJ_AM_PENDING;
  case MPJ_STEP_AWAIT:
    break;
  }
  return MPJ_SUCCESS;
}
