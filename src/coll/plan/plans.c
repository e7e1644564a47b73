/* This file keeps the plans of schedules, and finds a call's among them. */
#include "coll/plan/plans.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "coll/comm/context.h"
#include "coll/plan/bind.h"
#include "coll/run/tally.h"

static const struct mpj_type *type_of(const struct mpj_call *call, int k)
{
  return k == 0 ? call->recvtype : call->sendtype;
}

static bool is_in_place(const struct mpj_call *call, int k)
{
  return (k == 0 ? call->recvbuf : call->sendbuf) == MPJ_IN_PLACE;
}

/* Even parts of a dense layout are known by how many there are. */
static bool are_alike(const struct mpj_parts *a, const struct mpj_type *type)
{
  const struct mpj_parts *b = type->parts;
  return a == b || (a->count == b->count && a->ops->even && b->ops->even &&
                    type->map.layout->kind == MPJ_LAYOUT_RUN);
}

static MPJ_HOT bool is_type(const struct mpj_plan_type *known, const struct mpj_call *call, int k)
{
  const struct mpj_type *type = type_of(call, k);
  if (is_in_place(call, k) != known->in_place || !type != !known->layout) return false;
  return !type || (type->map.layout == known->layout && type->map.displ == known->displ &&
                   (!known->parts || are_alike(known->parts, type)));
}

bool mpj_plan_is_for(const struct mpj_plan *q, const struct mpj_call *call)
{
  return call->reduce == q->reduce && call->temp == q->temp && call->unit == q->unit &&
         (call->op || call->combine) == q->by_user && is_type(&q->types[0], call, 0) &&
         is_type(&q->types[1], call, 1);
}

static void forget_types(struct mpj_plan *q)
{
  for (int k = 0; k < 2; k++) {
    if (q->types[k].layout) mpj_layout_release(q->types[k].layout);
    mpj_parts_release(q->types[k].parts);
    q->types[k] = (struct mpj_plan_type){0};
  }
}

static void keep_types(struct mpj_plan *q, const struct mpj_binder *b)
{
  for (int k = 0; k < 2; k++) {
    const struct mpj_type *type = type_of(b->call, k);
    q->types[k].in_place = is_in_place(b->call, k);
    if (!type) continue;
    q->types[k].layout = mpj_layout_retain(type->map.layout);
    q->types[k].displ = type->map.displ;
    q->types[k].parts = b->by_parts[k] ? mpj_parts_retain(type->parts) : NULL;
  }
  q->reduce = b->call->reduce;
  q->by_user = b->call->op || b->call->combine;
  q->temp = b->call->temp;
  q->unit = b->call->unit;
}

static void drop(struct mpj_plan *q)
{
  forget_types(q);
  mpj_free(q->views);
  mpj_free(q);
}

void mpj_plans_free(struct mpj_plan *plans)
{
  while (plans) {
    struct mpj_plan *next = plans->next;
    drop(plans);
    plans = next;
  }
}

bool mpj_plans_in_use(const struct mpj_plan *plans)
{
  while (plans && plans->users == 0)
    plans = plans->next;
  return plans != NULL;
}

/* One to be bound: the idle one that was used least recently, if there are enough, taken out of
 * the list; else a new one; NULL: there is no memory. */
static struct mpj_plan *vacant(const struct mpj_comm *comm, struct mpj_schedule *s)
{
  struct mpj_plan **link = NULL, **at = &s->plans;
  int n = 0;
  for (; *at; at = &(*at)->next, n++)
    if ((*at)->users == 0) link = at;
  if (link && n >= MPJ_PLANS_KEPT && !s->set) {
    struct mpj_plan *q = *link;
    *link = q->next;
    forget_types(q);
    q->nviews = 0;
    comm->schedules->dropped++;
    return q;
  }
  struct mpj_plan *q = mpj_alloc_array(1, sizeof *q + s->nsteps * sizeof q->steps[0] +
                                              s->ntemporaries * sizeof q->temporaries[0]);
  if (q) q->temporaries = (MPJ_Count *)(void *)&q->steps[s->nsteps];
  return q;
}

static int make(struct mpj_comm *comm, struct mpj_schedule *s, const struct mpj_call *call,
                struct mpj_plan **plan)
{
  struct mpj_plan *q = vacant(comm, s);
  if (!q) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a plan of %u steps", s->nsteps);
  struct mpj_binder b = {
      .schedule = s, .call = call, .byte = comm->byte.layout, .scratch = comm->context->scratch};
  const int status = mpj_plan_bind(comm, &b, q);
  mpj_binder_end(&b);
  if (status != MPJ_SUCCESS) {
    drop(q);
    return status;
  }
  keep_types(q, &b);
  if (comm->context->tally) mpj_tally_bound(comm, s);
  q->next = s->plans;
  s->plans = *plan = q;
  return MPJ_SUCCESS;
}

int mpj_plan_for(struct mpj_comm *comm, struct mpj_schedule *s, const struct mpj_call *call,
                 struct mpj_plan **plan)
{
  for (struct mpj_plan **link = &s->plans; *link; link = &(*link)->next) {
    struct mpj_plan *q = *link;
    if (!mpj_plan_is_for(q, call)) continue;
    *link = q->next;
    q->next = s->plans;
    s->plans = *plan = q;
    return MPJ_SUCCESS;
  }
  return make(comm, s, call, plan);
}
