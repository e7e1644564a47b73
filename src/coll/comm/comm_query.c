/* This file says what a communicator is: rank, size, who is in it, its name. */
#include <string.h>

#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "coll/comm/comm.h"
#include "coll/comm/context.h"
#include "coll/threads/hold.h"

int MPJ_Comm_rank(MPJ_Comm handle, int *rank)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *comm = NULL;
  const int status = mpj_comm_resolve_any(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  if (!rank) return mpj_error(MPJ_ERR_ARG, "rank is NULL");
  *rank = comm->rank;
  return MPJ_SUCCESS;
}

int MPJ_Comm_size(MPJ_Comm handle, int *size)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *comm = NULL;
  const int status = mpj_comm_resolve_any(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  if (!size) return mpj_error(MPJ_ERR_ARG, "size is NULL");
  *size = comm->size;
  return MPJ_SUCCESS;
}

int MPJ_Comm_compare(MPJ_Comm a, MPJ_Comm b, int *result)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *one = NULL, *other = NULL;
  int status = mpj_comm_resolve_any(a, &one), verdict = MPJ_CONGRUENT;
  if (status == MPJ_SUCCESS) status = mpj_comm_resolve_any(b, &other);
  if (status != MPJ_SUCCESS) return status;
  if (!result) return mpj_error(MPJ_ERR_ARG, "result is NULL");
  if (one->size != other->size) verdict = MPJ_UNEQUAL;
  for (int i = 0; i < one->size && verdict != MPJ_UNEQUAL; i++) {
    const int there = mpj_comm_rank_of(other, mpj_comm_world(one, i));
    if (there < 0)
      verdict = MPJ_UNEQUAL;
    else if (there != i)
      verdict = MPJ_SIMILAR;
  }
  *result = one == other ? MPJ_IDENT : verdict;
  return MPJ_SUCCESS;
}

static int check_translation(const struct mpj_comm *comm, int n, const int ranks[],
                             const int others[])
{
  if (n < 0) return mpj_error(MPJ_ERR_ARG, "n is %d, must be at least 0", n);
  if (n > 0 && !ranks) return mpj_error(MPJ_ERR_ARG, "ranks is NULL");
  if (n > 0 && !others) return mpj_error(MPJ_ERR_ARG, "others is NULL");
  for (int i = 0; i < n; i++)
    if (ranks[i] < 0 || ranks[i] >= comm->size)
      return mpj_error(MPJ_ERR_ARG, "ranks[%d] is %d, comm has ranks 0 to %d", i, ranks[i],
                       comm->size - 1);
  return MPJ_SUCCESS;
}

int MPJ_Comm_translate(MPJ_Comm handle, int n, const int ranks[], MPJ_Comm other, int others[])
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *from = NULL, *to = NULL;
  int status = mpj_comm_resolve_any(handle, &from);
  if (status == MPJ_SUCCESS) status = mpj_comm_resolve_any(other, &to);
  if (status == MPJ_SUCCESS) status = check_translation(from, n, ranks, others);
  if (status != MPJ_SUCCESS) return status;
  for (int i = 0; i < n; i++) {
    const int there = mpj_comm_rank_of(to, mpj_comm_world(from, ranks[i]));
    others[i] = there < 0 ? MPJ_UNDEFINED : there;
  }
  return MPJ_SUCCESS;
}

int MPJ_Comm_set_name(MPJ_Comm handle, const char *name)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *comm = NULL;
  const int status = mpj_comm_resolve_any(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  if (!name) return mpj_error(MPJ_ERR_ARG, "name is NULL");
  const size_t n = strnlen(name, MPJ_COMM_NAME_MAX);
  if (n == MPJ_COMM_NAME_MAX)
    return mpj_error(MPJ_ERR_ARG, "name has %zu bytes or more, at most %d are kept", n,
                     MPJ_COMM_NAME_MAX - 1);
  char *copy = mpj_alloc(n + 1);
  if (!copy) return mpj_error(MPJ_ERR_NO_MEM, "name of %zu bytes could not be allocated", n);
  memcpy(copy, name, n + 1);
  mpj_free(comm->name);
  comm->name = copy;
  return MPJ_SUCCESS;
}

int MPJ_Comm_get_name(MPJ_Comm handle, char name[MPJ_COMM_NAME_MAX])
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *comm = NULL;
  const int status = mpj_comm_resolve_any(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  if (!name) return mpj_error(MPJ_ERR_ARG, "name is NULL");
  const char *own = comm->name                 ? comm->name
                    : handle == MPJ_COMM_WORLD ? "MPJ_COMM_WORLD"
                    : handle == MPJ_COMM_SELF  ? "MPJ_COMM_SELF"
                                               : "";
  memcpy(name, own, strlen(own) + 1);
  return MPJ_SUCCESS;
}
