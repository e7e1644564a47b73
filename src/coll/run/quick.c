/* This file runs quick operations. */
#include "base/wtime.h"
#include "coll/comm/context.h"
#include "coll/run/quick_run.h"
#include "coll/run/tally.h"

/* How often a step that waits is looked at before the engine takes over. */
enum { TURNS_MOST = 4096 };

static bool run_steps(struct mpj_quick_run *r)
{
  const bool noted = r->comm->context->tally;
  for (; r->done < r->schedule->nsteps; r->done++) {
    const struct mpj_quick_step *step = &r->quick->steps[r->done];
    if (!mpj_quick_step(r, step)) return false;
    if (noted) mpj_tally_step(r->comm, r->schedule, r->sequence, step->number, &r->rest.last_step);
  }
  return !r->slot->early && !mpj_quick_is_unusual(r);
}

/* Whether other operations of the rank wait to be moved on. */
static bool has_others(const struct mpj_context *context)
{
  for (const struct mpj_comm *c = context->busy; c; c = c->next)
    if (c->completed < c->started || c->queued || c->relaying) return true;
  return false;
}

static bool is_alike(const struct mpj_alike *a, const struct mpj_type *type)
{
  return a->layout && a->layout == type->map.layout && a->displ == type->map.displ &&
         a->parts == type->parts->count && type->parts->ops->even;
}

static bool is_known(const struct mpj_quick *q, int k, const struct mpj_type *type)
{
  return mpj_type_tag_known(type) == q->tag[k] || is_alike(&q->alike[k], type);
}

bool mpj_quick_is_for(const struct mpj_quick *q, const struct mpj_call *call)
{
  const struct mpj_type *const types[2] = {call->recvtype, call->sendtype};
  const void *const buffers[2] = {call->recvbuf, call->sendbuf};
  if (!q->bound || call->reduce != q->reduce) return false;
  for (int k = 0; k < 2; k++)
    if (q->uses[k] && (buffers[k] == MPJ_IN_PLACE || !is_known(q, k, types[k]))) return false;
  return true;
}

static void give_temporaries(struct mpj_quick_run *r)
{
  while (r->rest.ntemporaries > 0)
    mpj_scratch_give(&r->comm->context->scratch,
                     r->rest.temporaries[--r->rest.ntemporaries].memory);
}

static bool take_temporaries(struct mpj_quick_run *r)
{
  const struct mpj_quick *q = r->quick;
  r->rest.ntemporaries = 0;
  for (unsigned k = 0; k < q->ntemporaries; k++) {
    void *memory = mpj_scratch_take(&r->comm->context->scratch, q->temporaries[k].bytes);
    if (!memory) {
      give_temporaries(r);
      return false;
    }
    r->rest.temporaries[k].number = q->temporaries[k].number;
    r->rest.temporaries[k].memory = memory;
    r->rest.ntemporaries++;
  }
  return true;
}

struct mpj_slot *mpj_quick_hand_over(struct mpj_quick_run *r)
{
  for (unsigned k = 0; k < r->done; k++)
    r->rest.done[r->rest.ndone++] = r->quick->steps[k].number;
  return mpj_engine_resume(r->comm, r->schedule, r->call, &r->rest);
}

/* Field by field: the list of what is done is long, and mostly not needed. */
static inline bool begin(struct mpj_quick_run *r, struct mpj_comm *comm,
                         struct mpj_schedule *schedule, const struct mpj_call *call)
{
  struct mpj_context *context = comm->context;
  if (comm->checker || comm->started != comm->completed || has_others(context) ||
      context->gate.closed || comm->net->transport->ops->settle)
    return false;
  r->comm = comm;
  r->schedule = schedule;
  r->quick = schedule->quick;
  r->call = call;
  r->slot = mpj_comm_slot(comm, comm->started);
  r->sequence = comm->started;
  r->done = r->rest.ndone = 0;
  if (context->tally) r->rest.begun = r->rest.last_step = mpj_clock_ns();
  r->rest.posted = false;
  r->rest.counted = false;
  return !mpj_quick_is_unusual(r) && take_temporaries(r);
}

static inline bool go_on(struct mpj_quick_run *r, unsigned turns)
{
  r->turns = turns;
  if (!run_steps(r)) return false;
  give_temporaries(r);
  if (r->comm->context->tally)
    mpj_tally_operation(r->comm, r->schedule, r->sequence, MPJ_RAN_BOUND, r->rest.begun);
  mpj_engine_pass(r->comm, r->schedule);
  return true;
}

bool mpj_quick_begin(struct mpj_quick_run *r, struct mpj_comm *comm, struct mpj_schedule *schedule,
                     const struct mpj_call *call)
{
  return begin(r, comm, schedule, call);
}

bool mpj_quick_go_on(struct mpj_quick_run *r, bool wait)
{
  return go_on(r, wait ? TURNS_MOST : 0);
}

bool mpj_quick_run(struct mpj_comm *comm, struct mpj_schedule *schedule,
                   const struct mpj_call *call, int *status)
{
  struct mpj_quick_run r;
  if (!begin(&r, comm, schedule, call)) return false;
  *status = MPJ_SUCCESS;
  if (!go_on(&r, TURNS_MOST)) *status = mpj_engine_complete(comm, mpj_quick_hand_over(&r));
  return true;
}
