/* This file keeps a communicator's schedules, so that a repeated collective
 * builds nothing. */
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "coll/comm/context.h"
#include "coll/plan/flow.h"
#include "coll/plan/known.h"
#include "coll/plan/plan.h"
#include "coll/plan/plans.h"
#include "coll/plan/schedule_steps.h"
#include "coll/plan/shared.h"
#include "coll/run/comm_records.h"

enum { FIRST_ROOM = 4 };

/* Whether the schedule is of these part lists, or both have none. */
static bool is_of_lists(const struct mpj_schedule *s, const struct mpj_part_list *const lists[2])
{
  static const struct mpj_part_list none = {0};
  for (int k = 0; lists && k < 2; k++)
    if (!mpj_part_list_equal(&s->lists[k], lists[k] ? lists[k] : &none)) return false;
  return true;
}

static struct mpj_schedule *find(const struct mpj_schedules *all, enum mpj_operation operation,
                                 unsigned algorithm, int root, unsigned variant,
                                 const struct mpj_part_list *const lists[2])
{
  for (unsigned i = 0; i < all->ncached; i++) {
    struct mpj_schedule *s = all->cached[i];
    if (s->operation == operation && s->algorithm == algorithm && s->root == root &&
        s->variant == variant && is_of_lists(s, lists))
      return s;
  }
  return NULL;
}

/* Have room for one more; false: there is no memory. */
static bool make_room(struct mpj_schedules *all)
{
  const unsigned room = all->room == 0 ? FIRST_ROOM : 2 * all->room;
  struct mpj_schedule **cached = mpj_alloc_array(room, sizeof(struct mpj_schedule *));
  if (!cached) return false;
  if (all->ncached > 0) memcpy(cached, all->cached, all->ncached * sizeof(struct mpj_schedule *));
  mpj_free(all->cached);
  all->cached = cached;
  all->room = room;
  return true;
}

/* The least recently used one that no operation runs, or NULL: persistent requests run all. One
 * without steps has no plan that would say so, and stays: there are few of them. */
static struct mpj_schedule **oldest_idle(const struct mpj_schedules *all)
{
  struct mpj_schedule **oldest = NULL;
  for (unsigned i = 0; i < all->ncached; i++) {
    struct mpj_schedule **at = &all->cached[i];
    const bool idle = (*at)->nsteps > 0 && !mpj_plans_in_use((*at)->plans);
    if (idle && (!oldest || (*at)->last_used < (*oldest)->last_used)) oldest = at;
  }
  return oldest;
}

/* Keep a new schedule (moved on success): in a new place, or that of an idle one. */
static int keep(struct mpj_schedules *all, struct mpj_schedule *s)
{
  struct mpj_schedule **place = all->ncached < MPJ_SCHEDULES_CACHED ? NULL : oldest_idle(all);
  if (place) {
    mpj_schedule_free(*place);
    all->dropped++;
    *place = s;
    return MPJ_SUCCESS;
  }
  if (all->ncached == all->room && !make_room(all))
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for %u schedules", all->ncached + 1);
  all->cached[all->ncached++] = s;
  return MPJ_SUCCESS;
}

int mpj_schedule_cached(struct mpj_comm *comm, enum mpj_operation operation, unsigned algorithm,
                        int root, unsigned variant, const struct mpj_part_list *const lists[2],
                        mpj_algorithm_fn *build, struct mpj_schedule **schedule)
{
  struct mpj_schedules *all = comm->schedules;
  struct mpj_schedule *s = find(all, operation, algorithm, root, variant, lists);
  if (!s) {
    struct mpj_schedule_builder *builder;
    int status = mpj_schedule_begin(operation, algorithm, root, variant, &builder);
    if (status != MPJ_SUCCESS) return status;
    if (lists) mpj_schedule_of_lists(builder, lists);
    struct mpj_flow flow = mpj_flow_begin(comm, builder, variant);
    build(&flow, root);
    mpj_flow_end(&flow);
    status = mpj_schedule_finish(builder, &s);
    if (status != MPJ_SUCCESS) return status;
    struct mpj_schedule *shared = s;
    if (comm->context->shared)
      shared = mpj_schedule_share(comm->context->shared, s, comm->rank, comm->size);
    if (shared)
      s = shared;
    else
      status = mpj_error(MPJ_ERR_NO_MEM, "no memory for a schedule that ranks share");
    if (status == MPJ_SUCCESS) status = keep(all, s);
    if (status != MPJ_SUCCESS) {
      mpj_schedule_free(s);
      return status;
    }
    mpj_comm_reserve(comm, s);
  }
  s->last_used = ++all->clock;
  *schedule = s;
  return MPJ_SUCCESS;
}

void mpj_schedules_clear(struct mpj_schedules *all)
{
  for (unsigned i = 0; i < all->ncached; i++)
    mpj_schedule_free(all->cached[i]);
  mpj_free(all->cached);
  for (unsigned i = 0; i < MPJ_KNOWN_LISTS; i++)
    for (struct mpj_known *k = all->known[i]; k; k = all->known[i]) {
      all->known[i] = k->next;
      mpj_free(k);
    }
  all->ncached = all->room = 0;
  all->cached = NULL;
}
