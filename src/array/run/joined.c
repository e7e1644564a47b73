/* This file joins schedules, whose exchanges then go in one. */
#include "array/run/joined.h"

#include "array/schedule_life.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"

int mpj_joined_type(int n, const struct mpj_joined_end ends[], int size, MPJ_Datatype *type)
{
  struct mpj_patches all = {0};
  int64_t key = 0;
  int status = MPJ_SUCCESS;
  for (int i = 0; i < n && !status; i++)
    for (size_t k = 0; k < ends[i].patches->n && !status; k++) {
      MPJ_Datatype one;
      status = MPJ_Type_dup(ends[i].patches->list[k].type, &one);
      if (!status) status = mpj_patches_add(&all, ends[i].patches->list[k].rank, key++, one);
      if (!status) all.list[all.n - 1].displ = (MPJ_Aint)ends[i].base;
    }
  if (!status) status = mpj_patches_type(&all, size, type);
  mpj_patches_end(&all);
  return status;
}

/* Whether they can be joined; each is shared by s then. */
static int take_members(struct mpj_array_schedule *s, int n, const MPJ_Schedule schedules[])
{
  s->members = mpj_alloc_array((size_t)n, sizeof *s->members);
  if (!s->members) return mpj_error(MPJ_ERR_NO_MEM, "no memory for %d schedules", n);
  for (int i = 0; i < n; i++) {
    int result, status = mpj_array_schedule_resolve(schedules[i], "a schedule", &s->members[i]);
    if (status) return mpj_error(status, "schedules[%d] is no schedule", i);
    if (s->members[i]->nmembers > 0)
      return mpj_error(MPJ_ERR_ARG,
                       "schedules[%d] is a joined schedule, which cannot be joined again", i);
    status = MPJ_Comm_compare(s->comm, s->members[i]->comm, &result);
    if (status) return status;
    if (result != MPJ_IDENT && result != MPJ_CONGRUENT)
      return mpj_error(MPJ_ERR_ARG, "schedules[%d] and schedules[0] are over unlike communicators",
                       i);
    mpj_refcount_up(&s->members[i]->references);
    s->nmembers++;
  }
  return MPJ_SUCCESS;
}

int MPJ_Schedule_join(int n, const MPJ_Schedule schedules[], MPJ_Schedule *joined)
{
  MPJ_ENTRY;
  struct mpj_array_schedule *s = NULL, *first;
  int status = mpj_need(schedules, "schedules");
  if (!status) status = mpj_array_schedule_resolve(schedules[0], "schedules[0]", &first);
  if (status) return status;
  if (n < 1) status = mpj_error(MPJ_ERR_ARG, "n is %d, must be at least 1", n);
  if (!status) status = mpj_need(joined, "joined");
  if (!status) status = mpj_array_schedule_new("join", first->comm, MPJ_DATATYPE_NULL, &s);
  if (!status) status = take_members(s, n, schedules);
  struct mpj_fact facts[MPJ_FACTS_MAX] = {{.name = "n", .value = n}};
  const int listed = status || n < MPJ_FACTS_MAX ? n : MPJ_FACTS_MAX - 1;
  for (int i = 0; i < listed && !status; i++)
    facts[1 + i] = (struct mpj_fact){.name = "the serial number of schedules",
                                     .value = s->members[i]->serial,
                                     .index = i,
                                     .field = ""};
  MPJ_Count serial;
  status = mpj_array_agree_new(first->comm, status, status ? 0 : 1 + listed, facts, &serial);
  if (status) {
    mpj_array_schedule_release(s);
    return status;
  }
  s->serial = serial;
  *joined = s;
  return MPJ_SUCCESS;
}
