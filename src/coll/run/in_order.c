/* This file runs operations that are in order. */
#include "coll/run/in_order.h"

#include "coll/comm/context.h"
#include "coll/run/early.h"
#include "coll/run/engine.h"
#include "coll/run/tally.h"

/* How often a step that waits is looked at before the operation is spread. */
enum { TURNS_MOST = 4096 };

/* Whether other operations of the rank wait to be moved on. */
static bool has_others(const struct mpj_context *context)
{
  for (const struct mpj_comm *c = context->busy; c; c = c->next)
    if (c->completed < c->started || c->queued || c->relaying) return true;
  return false;
}

bool mpj_in_order_fits(struct mpj_comm *comm, const struct mpj_schedule *schedule,
                       const struct mpj_call *call)
{
  const struct mpj_context *context = comm->context;
  return schedule->plan && mpj_plan_is_for(schedule->plan, call) && !comm->checker &&
         comm->started == comm->completed && !has_others(context) && !context->gate.closed &&
         mpj_net_can_take(comm->net) && comm->broken.code == 0 &&
         mpj_comm_slot(comm, comm->started)->poison.code == 0 && mpj_net_changes(comm->net) == 0;
}

static void give_temporaries(struct mpj_slot *slot, unsigned n)
{
  const struct mpj_plan *plan = slot->schedule->plan;
  while (n-- > 0) {
    void **temporary = &slot->temporaries[plan->temporaries[n].number];
    mpj_scratch_give(slot->scratch, *temporary);
    *temporary = NULL;
  }
}

bool mpj_in_order_begin(struct mpj_comm *comm, struct mpj_slot *slot)
{
  const struct mpj_plan *plan = slot->schedule->plan;
  for (unsigned k = 0; k < plan->ntemporaries; k++) {
    void *memory = mpj_scratch_take(slot->scratch, plan->temporaries[k].bytes);
    slot->temporaries[plan->temporaries[k].number] = memory;
    if (memory) continue;
    give_temporaries(slot, k);
    return false;
  }
  comm->context->in_order = comm;
  return true;
}

static bool run_steps(struct mpj_in_order *r)
{
  struct mpj_slot *slot = r->slot;
  const unsigned n = slot->schedule->nsteps;
  for (; slot->done < n; slot->done++) {
    const struct mpj_plan_step *step = &r->plan->steps[slot->done];
    if (!mpj_in_order_step(r, step)) return false;
    if (slot->noted) mpj_tally_step(slot, step->number);
  }
  return !slot->early && !mpj_in_order_is_disturbed(r->comm, slot);
}

/* Meanwhile no call, of a handler say, interrupts it. */
bool mpj_in_order_run(struct mpj_comm *comm, struct mpj_slot *slot, bool wait)
{
  struct mpj_in_order r = {comm, slot, slot->schedule->plan, wait ? TURNS_MOST : 0, 0};
  comm->context->in_order = NULL;
  if (run_steps(&r)) return true;
  if (wait || slot->done == slot->schedule->nsteps || mpj_in_order_is_disturbed(comm, slot))
    mpj_engine_spread(comm, slot);
  else
    comm->context->in_order = comm;
  return false;
}

void mpj_in_order_interrupt(struct mpj_context *context)
{
  struct mpj_comm *comm = context->in_order;
  if (!comm) return;
  context->in_order = NULL;
  mpj_engine_spread(comm, mpj_comm_slot(comm, comm->started - 1));
}

void mpj_engine_spread(struct mpj_comm *comm, struct mpj_slot *slot)
{
  slot->in_order = false;
  if (slot->noted) slot->noted->ran = MPJ_RAN_THEN_SPREAD;
  mpj_slot_load(comm, slot);
  for (unsigned k = 0; k < slot->done; k++)
    mpj_slot_pass(slot, slot->schedule->plan->steps[k].number);
  mpj_slot_list_ready(slot);
  if (slot->early) mpj_early_route(comm, slot);
}
