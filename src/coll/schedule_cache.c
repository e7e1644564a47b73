/* This file keeps a communicator's schedules, so that a repeated collective
 * builds nothing. */
#include <string.h>

#include "base/memory.h"
#include "coll/again.h"
#include "coll/quick.h"

static void forget_choices(struct mpj_comm *comm)
{
  memset(comm->remembered, 0, MPJ_CHOICES_REMEMBERED * sizeof *comm->remembered);
}

static struct mpj_schedule *find(struct mpj_comm *comm, enum mpj_operation operation,
                                 unsigned algorithm, int root, unsigned variant)
{
  for (unsigned i = 0; i < comm->ncached; i++) {
    struct mpj_schedule *s = comm->cached[i];
    if (s->operation == operation && s->algorithm == algorithm && s->root == root &&
        s->variant == variant)
      return s;
  }
  return NULL;
}

/* Where the next schedule goes: a new place, or that of the least recently used
 * one that no operation runs. At most MPJ_WINDOW are in use, so there is one. */
static unsigned place_for(struct mpj_comm *comm)
{
  if (comm->ncached < MPJ_SCHEDULES_CACHED) return comm->ncached++;
  unsigned oldest = MPJ_SCHEDULES_CACHED;
  for (unsigned i = 0; i < MPJ_SCHEDULES_CACHED; i++) {
    if (comm->cached[i]->users > 0) continue;
    if (oldest == MPJ_SCHEDULES_CACHED ||
        comm->cached[i]->last_used < comm->cached[oldest]->last_used)
      oldest = i;
  }
  mpj_schedule_free(comm->cached[oldest]);
  if (comm->remembered) forget_choices(comm); /* it may be among them */
  return oldest;
}

int mpj_schedule_cached(struct mpj_comm *comm, enum mpj_operation operation, unsigned algorithm,
                        int root, unsigned variant, mpj_algorithm_fn *build,
                        struct mpj_schedule **schedule)
{
  struct mpj_schedule *s = find(comm, operation, algorithm, root, variant);
  if (!s) {
    struct mpj_schedule_builder *builder;
    int status = mpj_schedule_begin(operation, algorithm, root, variant, &builder);
    if (status != MPJ_SUCCESS) return status;
    build(comm, root, variant, builder);
    status = mpj_schedule_finish(builder, &s);
    if (status != MPJ_SUCCESS) return status;
    s->quick = comm->net ? mpj_quick_new(s) : NULL;
    comm->cached[place_for(comm)] = s;
    mpj_comm_reserve(comm, s);
  }
  s->last_used = ++comm->clock;
  *schedule = s;
  return MPJ_SUCCESS;
}

bool mpj_choice_equal(const struct mpj_choice *a, const struct mpj_choice *b)
{
  return a->operation == b->operation && a->root == b->root && a->bytes == b->bytes &&
         a->cuttable == b->cuttable && a->variant == b->variant;
}

static unsigned place_of(enum mpj_operation operation, int root)
{
  return ((unsigned)operation + 5 * (unsigned)root) % MPJ_CHOICES_REMEMBERED;
}

struct mpj_remembered *mpj_schedule_remembered(struct mpj_comm *comm, enum mpj_operation operation,
                                               int root)
{
  if (!comm->remembered) return NULL;
  struct mpj_remembered *r = &comm->remembered[place_of(operation, root)];
  return r->schedule ? r : NULL;
}

/* The rules go by the choice and by what never changes, so equal choices lead to
 * the same schedule. */
int mpj_schedule_for(struct mpj_comm *comm, const struct mpj_choice *choice,
                     struct mpj_schedule **schedule)
{
  if (!comm->remembered)
    comm->remembered = mpj_alloc_array(MPJ_CHOICES_REMEMBERED, sizeof *comm->remembered);
  if (!comm->remembered) return mpj_select_schedule(comm, choice, schedule);
  struct mpj_remembered *r = &comm->remembered[place_of(choice->operation, choice->root)];
  if (r->schedule && mpj_choice_equal(&r->choice, choice)) {
    r->schedule->last_used = ++comm->clock;
    *schedule = r->schedule;
    return MPJ_SUCCESS;
  }
  const int status = mpj_select_schedule(comm, choice, schedule);
  if (status == MPJ_SUCCESS) *r = (struct mpj_remembered){.choice = *choice, .schedule = *schedule};
  return status;
}
