/* This file judges buffers, and gives up verdicts that do not come. */
#include "coll/steps/verdict.h"

#include "base/config/config.h"
#include "base/wtime.h"
#include "coll/comm/context.h"
#include "coll/select/algorithms.h"
#include "coll/steps/ends.h"
#include "coll/steps/steps.h"

enum { STRETCH_LEAST = 64 }; /* bytes: shorter ones are better packed than put one by one */

/* Bytes that lie side by side in a layout; of unlike pieces, of the first. */
static MPJ_Count stretch(const struct mpj_layout *layout)
{
  while (layout->kind == MPJ_LAYOUT_LOOP || layout->kind == MPJ_LAYOUT_INDEX) {
    const bool loop = layout->kind == MPJ_LAYOUT_LOOP;
    const struct mpj_layout *child = loop ? layout->u.loop.child : layout->u.index.child;
    if (!loop && layout->u.index.uniform != 1 && child->kind == MPJ_LAYOUT_RUN &&
        layout->u.index.stride == child->signature.bytes)
      return layout->signature.bytes / layout->u.index.nblocks;
    layout = child;
  }
  return layout->kind == MPJ_LAYOUT_SEQ ? layout->signature.bytes / layout->u.seq.npieces
                                        : layout->signature.bytes;
}

/* Whether others can write or read what lies there in one copy. */
static bool is_reached(const struct mpj_context *context, uintptr_t address)
{
  const struct mpj_allocation *a = context->allocations;
  if (!context->net || context->net->reads_all) return true;
  while (a && address - (uintptr_t)a->block.base >= a->block.bytes)
    a = a->next;
  return a;
}

static bool qualifies(struct mpj_comm *comm, const struct mpj_slot *slot,
                      const struct mpj_plan_step *step)
{
  const struct mpj_comm *user = mpj_comm_user(comm);
  const struct mpj_view view = mpj_end_view(comm, slot, &step->from, step->bytes);
  const uintptr_t start = (uintptr_t)mpj_end_base(slot, &step->from) + (uintptr_t)view.displ;
  const unsigned align = comm->net ? (unsigned)comm->net->align_bytes : 0;
  if (user->qualifies)
    return user->qualifies(user->qualifies_ctx, slot->call->recvbuf,
                           (MPJ_Datatype)(uintptr_t)slot->call->recvtype) != 0;
  if (!step->from.dense && stretch(view.layout) < STRETCH_LEAST) return false;
  if (align > 0 && start % align != 0) return false;
  return is_reached(comm->context, start);
}

bool mpj_verdict(const struct mpj_slot *slot, unsigned number)
{
  const unsigned char *value = slot->temporaries[number];
  return value && *value == 1;
}

/* Data that goes through a temporary is not put where it belongs. */
int mpj_step_run_judge(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i)
{
  const struct mpj_plan_step *step = &slot->plan->steps[i];
  const unsigned src = mpj_step_src(slot->schedule, &slot->schedule->steps[i]).buffer;
  const bool was_for = mpj_verdict(slot, step->to.number);
  const int status = mpj_end_have(slot, &step->to);
  if (status != MPJ_SUCCESS) return status;
  *mpj_end_address(slot, &step->to) =
      src == MPJ_BUFFER_NONE || (src == MPJ_BUFFER_RECV && qualifies(comm, slot, step)) ||
      (src == MPJ_BUFFER_VERDICT && was_for && mpj_verdict(slot, step->from.number));
  return MPJ_SUCCESS;
}

/* Whether the step waits for nobody but a rank that has not answered. */
static bool waits_for_answer(const struct mpj_slot *slot, const struct mpj_step *step)
{
  const struct mpj_operand by = mpj_step_dst(slot->schedule, step);
  return by.buffer == MPJ_BUFFER_VERDICT && !slot->temporaries[by.part] &&
         (step->kind == MPJ_STEP_RECV || step->kind == MPJ_STEP_SEND);
}

static bool waits_for_answers_alone(const struct mpj_slot *slot)
{
  if (slot->left == 0 || slot->nready > 0) return false;
  for (unsigned i = 0; i < slot->schedule->nsteps; i++) {
    if (slot->complete[i] || waits_for_answer(slot, &slot->schedule->steps[i])) continue;
    return false;
  }
  return true;
}

void mpj_verdicts_watch(struct mpj_comm *comm, struct mpj_slot *slot)
{
  struct mpj_context *context = comm->context;
  if (!waits_for_answers_alone(slot)) {
    slot->give_up_ns = 0;
  } else if (slot->give_up_ns == 0) {
    slot->give_up_ns = mpj_clock_ns() + 1000 * mpj_config()->neighbourhood_us;
    if (context->wake_ns == 0 || context->wake_ns > slot->give_up_ns)
      context->wake_ns = slot->give_up_ns;
  }
}

void mpj_verdicts_give_up(struct mpj_slot *slot)
{
  const struct mpj_schedule *s = slot->schedule;
  if (mpj_clock_ns() < slot->give_up_ns || !waits_for_answers_alone(slot)) return;
  for (unsigned i = 0; i < s->nsteps; i++) {
    if (s->steps[i].kind != MPJ_STEP_RECV || slot->complete[i]) continue;
    const struct mpj_end *verdict = &slot->plan->steps[i].to;
    const int status = mpj_end_have(slot, verdict);
    if (status == MPJ_SUCCESS) *mpj_end_address(slot, verdict) = 0;
    mpj_bits_set(&slot->seen, s->steps[i].bit);
    slot->waits[i] = 0;
    mpj_step_ended(slot, i, status);
  }
  slot->give_up_ns = 0;
}

void mpj_verdicts_order(struct mpj_slot *slot)
{
  uint32_t *r = slot->ready;
  for (unsigned i = 1; i < slot->nready; i++)
    for (unsigned k = i; k > 0 && r[k - 1] > r[k]; k--) {
      const uint32_t later = r[k - 1];
      r[k - 1] = r[k];
      r[k] = later;
    }
}

bool mpj_is_verdict(const struct mpj_arrival_message *m)
{
  const struct mpj_algorithm *a = mpj_algorithm_row(m->algorithm);
  return a && a->judges && m->kind == MPJ_ARRIVAL_INLINE && m->bytes == 1;
}

bool mpj_verdict_is_late(const struct mpj_arrival_message *m)
{
  return mpj_is_verdict(m) && mpj_algorithm_row(m->algorithm)->answers;
}
