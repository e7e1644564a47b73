/* This file keeps a communicator's schedules, so that a repeated collective
 * builds nothing. */
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "coll/calls/again.h"
#include "coll/run/quick.h"

static void forget_choices(struct mpj_schedules *all)
{
  memset(all->remembered, 0, MPJ_CHOICES_REMEMBERED * sizeof *all->remembered);
}

static struct mpj_schedule *find(const struct mpj_schedules *all, enum mpj_operation operation,
                                 unsigned algorithm, int root, unsigned variant)
{
  for (unsigned i = 0; i < all->ncached; i++) {
    struct mpj_schedule *s = all->cached[i];
    if (s->operation == operation && s->algorithm == algorithm && s->root == root &&
        s->variant == variant)
      return s;
  }
  return NULL;
}

/* Have room for one more; false: there is no memory. */
static bool make_room(struct mpj_schedules *all)
{
  const unsigned room = all->room == 0 ? MPJ_SCHEDULES_CACHED : 2 * all->room;
  struct mpj_schedule **cached = mpj_alloc_array(room, sizeof(struct mpj_schedule *));
  if (!cached) return false;
  if (all->ncached > 0) memcpy(cached, all->cached, all->ncached * sizeof(struct mpj_schedule *));
  mpj_free(all->cached);
  all->cached = cached;
  all->room = room;
  return true;
}

/* The least recently used one that no operation runs, or NULL: persistent requests run all. */
static struct mpj_schedule **oldest_idle(const struct mpj_schedules *all)
{
  struct mpj_schedule **oldest = NULL;
  for (unsigned i = 0; i < all->ncached; i++) {
    struct mpj_schedule **at = &all->cached[i];
    if ((*at)->users == 0 && (!oldest || (*at)->last_used < (*oldest)->last_used)) oldest = at;
  }
  return oldest;
}

/* Keep a new schedule (moved on success): in a new place, or that of an idle one. */
static int keep(struct mpj_schedules *all, struct mpj_schedule *s)
{
  struct mpj_schedule **place = all->ncached < MPJ_SCHEDULES_CACHED ? NULL : oldest_idle(all);
  if (place) {
    mpj_schedule_free(*place);
    if (all->remembered) forget_choices(all); /* it may be among them */
    *place = s;
    return MPJ_SUCCESS;
  }
  if (all->ncached == all->room && !make_room(all))
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for %u schedules", all->ncached + 1);
  all->cached[all->ncached++] = s;
  return MPJ_SUCCESS;
}

int mpj_schedule_cached(struct mpj_comm *comm, enum mpj_operation operation, unsigned algorithm,
                        int root, unsigned variant, mpj_algorithm_fn *build,
                        struct mpj_schedule **schedule)
{
  struct mpj_schedules *all = comm->schedules;
  struct mpj_schedule *s = find(all, operation, algorithm, root, variant);
  if (!s) {
    struct mpj_schedule_builder *builder;
    int status = mpj_schedule_begin(operation, algorithm, root, variant, &builder);
    if (status != MPJ_SUCCESS) return status;
    build(comm, root, variant, builder);
    status = mpj_schedule_finish(builder, &s);
    if (status != MPJ_SUCCESS) return status;
    status = keep(all, s);
    if (status != MPJ_SUCCESS) {
      mpj_schedule_free(s);
      return status;
    }
    s->quick = comm->net ? mpj_quick_new(s) : NULL;
    mpj_comm_reserve(comm, s);
  }
  s->last_used = ++all->clock;
  *schedule = s;
  return MPJ_SUCCESS;
}

bool mpj_choice_equal(const struct mpj_choice *a, const struct mpj_choice *b)
{
  const struct mpj_agreed *one = &a->agreed, *other = &b->agreed;
  return one->operation == other->operation && a->root == b->root && one->bytes == other->bytes &&
         one->cuttable == other->cuttable && one->ordered == other->ordered && a->local == b->local;
}

static unsigned place_of(enum mpj_operation operation, int root)
{
  return ((unsigned)operation + 5 * (unsigned)root) % MPJ_CHOICES_REMEMBERED;
}

struct mpj_remembered *mpj_schedule_remembered(struct mpj_comm *comm, enum mpj_operation operation,
                                               int root)
{
  if (!comm->schedules->remembered) return NULL;
  struct mpj_remembered *r = &comm->schedules->remembered[place_of(operation, root)];
  return r->schedule ? r : NULL;
}

/* The rules go by the choice and by what never changes, so equal choices lead to
 * the same schedule. */
int mpj_schedule_for(struct mpj_comm *comm, const struct mpj_choice *choice,
                     struct mpj_schedule **schedule)
{
  struct mpj_schedules *all = comm->schedules;
  if (!all->remembered)
    all->remembered = mpj_alloc_array(MPJ_CHOICES_REMEMBERED, sizeof *all->remembered);
  if (!all->remembered) return mpj_select_schedule(comm, choice, schedule);
  struct mpj_remembered *r = &all->remembered[place_of(choice->agreed.operation, choice->root)];
  if (r->schedule && mpj_choice_equal(&r->choice, choice)) {
    r->schedule->last_used = ++all->clock;
    *schedule = r->schedule;
    return MPJ_SUCCESS;
  }
  const int status = mpj_select_schedule(comm, choice, schedule);
  if (status == MPJ_SUCCESS) *r = (struct mpj_remembered){.choice = *choice, .schedule = *schedule};
  return status;
}
