/* This file binds schedules to types. */
#include "coll/plan/plan.h"
#include "coll/plan/binding.h"
#include "coll/steps/steps.h"

#include <string.h>

#include "base/memory.h"

/* TRY_EVERY: other types may lie where they lay that could not be bound. */
enum { TRY_EVERY = 64 };

static bool fits_slot(const struct mpj_schedule *s)
{
  return mpj_slot_bytes(s) <= MPJ_SLOT_SMALL; /* so that it can be spread without fail */
}

static bool is_bindable(const struct mpj_schedule *s, const struct mpj_step *step)
{
  return mpj_step_src(s, step).buffer < MPJ_BUFFER_BUNDLE &&
         mpj_step_dst(s, step).buffer < MPJ_BUFFER_BUNDLE;
}

struct mpj_plan *mpj_plan_new(const struct mpj_schedule *s)
{
  struct mpj_plan *q = NULL;
  if (s->nsteps == 0 || !fits_slot(s)) return NULL;
  for (unsigned i = 0; i < s->nsteps; i++)
    if (!is_bindable(s, &s->steps[i])) return NULL;
  q = mpj_alloc(sizeof *q + s->nsteps * sizeof q->steps[0]);
  if (q) memset(q, 0, sizeof *q);
  return q;
}

static void forget_types(struct mpj_plan *q)
{
  for (int k = 0; k < 2; k++) {
    if (q->alike[k].layout) mpj_layout_release(q->alike[k].layout);
    q->alike[k].layout = NULL;
    q->uses[k] = false;
  }
}

void mpj_plan_free(struct mpj_plan *q)
{
  if (q) forget_types(q);
  mpj_free(q);
}

/* Have the temporary in the plan's list; false if that is full, or it is long. */
static bool list_temporary(struct mpj_plan *q, int number, MPJ_Count bytes, long most)
{
  unsigned k = 0;
  while (k < q->ntemporaries && q->temporaries[k].number != number)
    k++;
  if (k < q->ntemporaries) return true;
  if (k == MPJ_PLAN_TEMPORARIES || bytes > most) return false;
  q->temporaries[k].number = (uint16_t)number;
  q->temporaries[k].bytes = (uint32_t)bytes;
  q->ntemporaries++;
  return true;
}

struct end {
  uint8_t buffer;
  uint16_t number;
  MPJ_Aint at;
  struct mpj_signature data;
};

/* One end of a step; false if it is not dense. */
static bool bind_end(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_operand operand,
                     struct end *end)
{
  struct mpj_plan *q = slot->schedule->plan;
  struct mpj_bound bound = {0};
  *end = (struct end){.buffer = (uint8_t)operand.buffer, .data = mpj_signature_empty};
  if (operand.buffer == MPJ_BUFFER_NONE) return true;
  if (mpj_bind_operand(comm, slot, operand, &bound, &end->data) != MPJ_SUCCESS) return false;
  if (bound.in_place || !mpj_view_dense(&bound.view, &end->at)) return false;
  end->at += bound.first;
  if (operand.buffer == MPJ_BUFFER_TEMP) {
    const MPJ_Count bytes = mpj_view_bytes(&bound.view);
    const long most = MPJ_PLAN_TEMPORARIES * comm->net->eager_bytes;
    if (!list_temporary(q, operand.part, bytes, most)) return false;
    end->number = (uint16_t)operand.part;
    operand = mpj_temporary_like(slot->schedule, operand.part); /* its length is that one's */
  }
  q->uses[operand.buffer == MPJ_BUFFER_SEND] = true;
  return true;
}

static void keep_header(const struct mpj_comm *comm, const struct mpj_schedule *s,
                        const struct mpj_step *step, const struct mpj_signature *data,
                        struct mpj_plan_step *q)
{
  struct mpj_arrival_message m = mpj_step_message(comm, s, 0, step);
  m.kind = data->bytes <= MPJ_INLINE_MAX ? MPJ_ARRIVAL_INLINE : MPJ_ARRIVAL_EAGER;
  m.bytes = data->bytes;
  m.digest = mpj_signature_digest(data);
  memcpy(q->rest, (const char *)&m + MPJ_ARRIVAL_HEADER - sizeof q->rest, sizeof q->rest);
}

static bool bind_step(struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i,
                      struct mpj_plan_step *q)
{
  const struct mpj_schedule *s = slot->schedule;
  const struct mpj_step *step = &s->steps[i];
  struct end from, to;
  struct mpj_operand src = mpj_step_src(s, step);
  const struct mpj_operand dst = mpj_step_dst(s, step);
  *q = (struct mpj_plan_step){.kind = step->kind,
                              .bit = step->bit,
                              .posted = step->posted,
                              .number = i,
                              .peer = step->peer};
  if (step->kind == MPJ_STEP_RECV) {
    q->combines = src.buffer != MPJ_BUFFER_NONE;
    src = mpj_operand_none();
  }
  if (!bind_end(comm, slot, src, &from) || !bind_end(comm, slot, dst, &to)) return false;
  const bool both = from.buffer != MPJ_BUFFER_NONE && to.buffer != MPJ_BUFFER_NONE;
  if (both && from.data.bytes != to.data.bytes) return false;
  if (step->kind == MPJ_STEP_COPY && !mpj_signature_equal(&from.data, &to.data)) return false;
  const struct mpj_signature *data = to.buffer == MPJ_BUFFER_NONE ? &from.data : &to.data;
  q->from = from.buffer;
  q->from_number = from.number;
  q->from_at = from.at;
  q->to = to.buffer;
  q->to_number = to.number;
  q->to_at = to.at;
  if (data->bytes > comm->net->eager_bytes) return false;
  q->bytes = (uint32_t)data->bytes;
  keep_header(comm, s, step, data, q);
  return true;
}

/* Steps that wait for others, or depend on such. */
static void find_waiting(const struct mpj_schedule *s, bool waiting[])
{
  memset(waiting, 0, s->nsteps * sizeof *waiting);
  for (unsigned i = 0; i < s->nsteps; i++) {
    const struct mpj_step *step = &s->steps[i];
    waiting[i] |=
        step->kind == MPJ_STEP_RECV || step->kind == MPJ_STEP_AWAIT || step->kind == MPJ_STEP_MEET;
    for (unsigned k = 0; k < step->nnext; k++)
      waiting[s->next[step->first_next + k]] |= waiting[i];
  }
}

static bool bind_steps(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_plan *q)
{
  const struct mpj_schedule *s = slot->schedule;
  bool waiting[MPJ_SLOT_SMALL];
  unsigned n = 0;
  find_waiting(s, waiting);
  for (int later = 0; later < 2; later++)
    for (uint16_t i = 0; i < s->nsteps; i++)
      if (waiting[i] == (later == 1) && !bind_step(comm, slot, i, &q->steps[n++])) return false;
  return true;
}

static bool bind_reduction(const struct mpj_schedule *s, const struct mpj_call *call,
                           struct mpj_plan *q)
{
  bool reduces = false;
  for (unsigned i = 0; i < s->nsteps; i++)
    reduces |= q->steps[i].combines || q->steps[i].kind == MPJ_STEP_REDUCE;
  q->reduce = call->reduce;
  if (!reduces) return true;
  if (call->reduce == 0 || !call->temp) return false;
  q->kernel = mpj_reduce_kernel_of((enum mpj_reduce_op)(call->reduce - 1), call->temp->u.run.basic);
  q->unit = call->unit;
  return true;
}

static bool tag_types(struct mpj_plan *q, const struct mpj_type *const types[2])
{
  for (int k = 0; k < 2; k++) {
    if (!q->uses[k]) continue;
    q->tag[k] = mpj_type_tag((struct mpj_type *)(uintptr_t)types[k]);
    if (q->tag[k] == 0) return false;
    if (types[k]->map.layout->kind == MPJ_LAYOUT_RUN && types[k]->parts->ops->even)
      q->alike[k] = (struct mpj_alike){mpj_layout_retain(types[k]->map.layout), types[k]->map.displ,
                                       types[k]->parts->count};
  }
  return true;
}

/* Whether these have other layouts than those met last; these are now. */
static bool have_changed(struct mpj_plan *q, const struct mpj_type *const types[2])
{
  bool changed = false;
  for (int k = 0; k < 2; k++) {
    const uint64_t hash = types[k] ? types[k]->map.layout->hash : 0;
    changed |= q->met[k] != hash;
    q->met[k] = hash;
  }
  return changed;
}

static bool is_alike(const struct mpj_alike *a, const struct mpj_type *type)
{
  return a->layout && a->layout == type->map.layout && a->displ == type->map.displ &&
         a->parts == type->parts->count && type->parts->ops->even;
}

static bool is_known(const struct mpj_plan *q, int k, const struct mpj_type *type)
{
  return mpj_type_tag_known(type) == q->tag[k] || is_alike(&q->alike[k], type);
}

bool mpj_plan_is_for(const struct mpj_plan *q, const struct mpj_call *call)
{
  const struct mpj_type *const types[2] = {call->recvtype, call->sendtype};
  const void *const buffers[2] = {call->recvbuf, call->sendbuf};
  if (!q->bound || call->binding == q->binding) return q->bound;
  if (call->reduce != q->reduce) return false;
  for (int k = 0; k < 2; k++)
    if (q->uses[k] && (buffers[k] == MPJ_IN_PLACE || !is_known(q, k, types[k]))) return false;
  return true;
}

void mpj_plan_learn(struct mpj_comm *comm, struct mpj_slot *slot)
{
  struct mpj_plan *q = slot->schedule->plan;
  const struct mpj_type *const types[2] = {slot->call->recvtype, slot->call->sendtype};
  if (have_changed(q, types)) q->again = 0;
  if (q->again++ % TRY_EVERY != 1 || slot->abandoned || mpj_plan_is_for(q, slot->call)) return;
  forget_types(q);
  q->binding++;
  q->ntemporaries = 0;
  q->bound = bind_steps(comm, slot, q) && bind_reduction(slot->schedule, slot->call, q) &&
             tag_types(q, types);
}
