/* This file remembers the choices of algorithms that were made lately, with their schedules. */
#include "coll/calls/remembered.h"

#include "base/memory.h"
#include "coll/select/choose.h"

static bool is_same_list(const struct mpj_part_list *a, const struct mpj_part_list *b)
{
  return a == b || (a && b && mpj_part_list_equal(a, b));
}

bool mpj_choice_equal(const struct mpj_choice *a, const struct mpj_choice *b)
{
  const struct mpj_agreed *one = &a->agreed, *other = &b->agreed;
  return one->operation == other->operation && a->root == b->root && one->bytes == other->bytes &&
         one->cuttable == other->cuttable && one->ordered == other->ordered &&
         a->local == b->local && is_same_list(a->lists[0], b->lists[0]) &&
         is_same_list(a->lists[1], b->lists[1]);
}

/* Alltoalls of all kinds share one, as who calls again does not look at its types. */
static struct mpj_remembered **place_of(struct mpj_schedules *all, enum mpj_operation operation,
                                        int root)
{
  if (root == MPJ_SPARSE_ALLTOALL) root = MPJ_PART_OF_NONE;
  return &all->remembered[((unsigned)operation + 5 * (unsigned)root) % MPJ_CHOICES_REMEMBERED];
}

struct mpj_remembered *mpj_schedule_remembered(struct mpj_comm *comm, enum mpj_operation operation,
                                               int root)
{
  struct mpj_remembered *r = *place_of(comm->schedules, operation, root);
  return r && r->schedule && r->dropped == comm->schedules->dropped ? r : NULL;
}

/* The rules go by the choice and by what never changes, so equal choices lead to
 * the same schedule. */
int mpj_schedule_for(struct mpj_comm *comm, const struct mpj_choice *choice,
                     struct mpj_schedule **schedule)
{
  struct mpj_schedules *all = comm->schedules;
  struct mpj_remembered **place = place_of(all, choice->agreed.operation, choice->root);
  if (!*place) *place = mpj_alloc_array(1, sizeof **place);
  struct mpj_remembered *r = *place;
  if (!r) return mpj_select_schedule(comm, choice, schedule);
  if (r->schedule && r->dropped == all->dropped && mpj_choice_equal(&r->choice, choice)) {
    r->schedule->last_used = ++all->clock;
    *schedule = r->schedule;
    return MPJ_SUCCESS;
  }
  const int status = mpj_select_schedule(comm, choice, schedule);
  if (status != MPJ_SUCCESS) return status;
  *r = (struct mpj_remembered){.choice = *choice, .schedule = *schedule, .dropped = all->dropped};
  for (int k = 0; k < 2; k++) /* those of the call go with its types */
    if (choice->lists[k]) r->choice.lists[k] = &(*schedule)->lists[k];
  return MPJ_SUCCESS;
}
