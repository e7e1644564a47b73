/* This file makes, shows and frees schedules. */
#include "array/run/rounds.h"

#include "array/describe/grid_ranks.h"
#include "array/run/rounds_make.h"
#include "array/schedule_life.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/status.h"
#include "types/type.h"

static struct mpj_pool pool = MPJ_POOL_INITIALIZER(MPJ_SCHEDULE_MARK, struct mpj_array_schedule);

int mpj_array_schedule_resolve(MPJ_Schedule handle, const char *argument,
                               struct mpj_array_schedule **schedule)
{
  if (handle == MPJ_SCHEDULE_NULL)
    return mpj_error(MPJ_ERR_ARG, "%s is MPJ_SCHEDULE_NULL", argument);
  if (!mpj_pool_is_live(&pool, handle) || handle->freed)
    return mpj_error(MPJ_ERR_ARG, "%s %p %s", argument, (void *)handle,
                     mpj_pool_has(&pool, handle) ? "has been freed" : "is no schedule");
  *schedule = handle;
  return MPJ_SUCCESS;
}

static int take_element(struct mpj_array_schedule *s, MPJ_Datatype element)
{
  MPJ_Count segments, bytes;
  MPJ_Aint lb;
  struct mpj_type *known;
  int status = mpj_type_resolve(element, "element", &known);
  if (!status) status = MPJ_Type_dup(element, &s->element);
  if (!status) status = MPJ_Type_commit(&s->element);
  if (!status) status = MPJ_Type_size(element, &s->element_bytes);
  if (!status) status = MPJ_Type_get_extent(element, &lb, &s->extent);
  if (!status) status = MPJ_Type_get_true_extent(element, &s->true_lb, &s->true_extent);
  if (!status) status = MPJ_Type_create_resized(element, s->true_lb, s->true_extent, &s->spaced);
  if (!status) status = MPJ_Type_commit(&s->spaced);
  if (!status) status = MPJ_Type_iov_len(s->element, -1, &segments, &bytes);
  s->dense = !status && segments <= 1;
  return status;
}

int mpj_array_schedule_new(const char *name, MPJ_Comm comm, MPJ_Datatype element,
                           struct mpj_array_schedule **schedule)
{
  struct mpj_array_schedule *s = mpj_pool_take(&pool);
  if (!s) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a schedule");
  mpj_refcount_up(&s->references);
  s->name = name;
  s->comm = comm;
  s->receives = true;
  int status = MPJ_Comm_size(comm, &s->size);
  if (!status) status = MPJ_Comm_rank(comm, &s->rank);
  if (!status && element) status = take_element(s, element);
  if (status)
    mpj_array_schedule_release(s);
  else
    *schedule = s;
  return status;
}

void mpj_array_schedule_release(struct mpj_array_schedule *s)
{
  if (!s || mpj_refcount_down(&s->references) > 1) return;
  for (int i = 0; i < s->nphases; i++) {
    if (s->phases[i].send) MPJ_Type_free(&s->phases[i].send);
    if (s->phases[i].recv) MPJ_Type_free(&s->phases[i].recv);
  }
  mpj_rounds_end(s);
  mpj_patches_end(&s->out);
  mpj_patches_end(&s->in);
  mpj_free(s->zeros);
  mpj_spread_end(&s->spread);
  for (int i = 0; i < s->nmembers; i++)
    mpj_array_schedule_release(s->members[i]);
  mpj_free(s->members);
  if (s->element) MPJ_Type_free(&s->element);
  if (s->spaced) MPJ_Type_free(&s->spaced);
  if (s->facts) MPJ_Type_free(&s->facts);
  mpj_array_release(s->arrays[0]);
  mpj_array_release(s->arrays[1]);
  mpj_pool_give(&pool, s);
}

/* The type of the patches, without those of a rank; -1: of all. */
static int type_of(struct mpj_patches *patches, int size, int without, MPJ_Datatype *type)
{
  struct mpj_patches others = {0};
  int status = MPJ_SUCCESS;
  if (without < 0) return mpj_patches_type(patches, size, type);
  for (size_t i = 0; i < patches->n && !status; i++) {
    const struct mpj_array_patch *patch = &patches->list[i];
    MPJ_Datatype one;
    if (patch->rank == without) continue;
    status = MPJ_Type_dup(patch->type, &one);
    if (!status) status = mpj_patches_add(&others, patch->rank, patch->key, one);
  }
  if (!status) status = mpj_patches_type(&others, size, type);
  mpj_patches_end(&others);
  return status;
}

int mpj_array_schedule_exchange(struct mpj_array_schedule *s, bool local)
{
  struct mpj_phase *phase = &s->phases[s->nphases++];
  struct mpj_patches none = {0};
  const int without = local ? s->rank : -1;
  *phase = (struct mpj_phase){.kind = MPJ_PHASE_EXCHANGE, .comm = s->comm};
  if (local) s->phases[s->nphases++] = (struct mpj_phase){.kind = MPJ_PHASE_LOCAL};
  int status = mpj_patches_finish(&s->out);
  if (!status) status = mpj_patches_finish(&s->in);
  if (!status) status = type_of(&s->out, s->size, without, &phase->send);
  if (status) return status;
  return type_of(s->receives ? &s->in : &none, s->size, without, &phase->recv);
}

int MPJ_Schedule_free(MPJ_Schedule *schedule)
{
  MPJ_ENTRY;
  struct mpj_array_schedule *s;
  int status = mpj_need(schedule, "schedule");
  if (!status) status = mpj_array_schedule_resolve(*schedule, "schedule", &s);
  if (status) return status;
  s->freed = true;
  *schedule = MPJ_SCHEDULE_NULL;
  mpj_array_schedule_release(s);
  return MPJ_SUCCESS;
}
