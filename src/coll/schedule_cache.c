/* This file keeps a communicator's schedules, so that a repeated collective
 * builds nothing. */
#include "coll/comm.h"

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
    comm->cached[place_for(comm)] = s;
    mpj_comm_reserve(comm, s);
  }
  s->last_used = ++comm->clock;
  *schedule = s;
  return MPJ_SUCCESS;
}
