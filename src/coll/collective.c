/* This file checks what collectives are given, and runs them. */
#include "coll/collective.h"

#include <stdio.h>

#include "base/status.h"
#include "coll/algorithms.h"

int mpj_check_root(const struct mpj_comm *comm, int root)
{
  if (root >= 0 && root < comm->size) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ROOT, "root is %d, comm has ranks 0 to %d", root, comm->size - 1);
}

int mpj_check_type(MPJ_Datatype handle, const char *argument, const struct mpj_type **type)
{
  struct mpj_type *resolved = NULL;
  const int status = mpj_type_resolve_committed(handle, argument, &resolved);
  if (status == MPJ_SUCCESS) *type = resolved;
  return status;
}

int mpj_check_parts(const struct mpj_comm *comm, MPJ_Datatype handle, const char *argument,
                    const struct mpj_type **type)
{
  const int status = mpj_check_type(handle, argument, type);
  if (status != MPJ_SUCCESS || (*type)->parts->count == comm->size) return status;
  return mpj_error(MPJ_ERR_PARTS, "%s has %lld parts, comm has %d ranks", argument,
                   (long long)(*type)->parts->count, comm->size);
}

int mpj_check_not_in_place(const void *buf, const char *argument)
{
  if (buf != MPJ_IN_PLACE) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG, "%s is MPJ_IN_PLACE, which has no meaning here", argument);
}

/* Go through the operation with no steps, telling the others that it failed. */
static void fail_for_all(struct mpj_comm *comm, int status)
{
  const struct mpj_call nothing = {0};
  struct mpj_slot *slot;
  mpj_engine_start(comm, &comm->no_steps, &nothing, &slot); /* needs no memory: cannot fail */
  if (!slot->abandoned) mpj_operation_abandon(comm, slot, status, comm->rank, false);
  mpj_engine_complete(comm, slot);
}

int mpj_collective(struct mpj_comm *comm, enum mpj_operation operation, int root, int status,
                   const struct mpj_call *call)
{
  struct mpj_schedule *schedule;
  struct mpj_slot *slot;
  if (status == MPJ_SUCCESS) status = mpj_select_schedule(comm, operation, root, &schedule);
  if (status == MPJ_SUCCESS) status = mpj_engine_start(comm, schedule, call, &slot);
  if (status == MPJ_SUCCESS) return mpj_engine_complete(comm, slot);
  char why[512];
  snprintf(why, sizeof why, "%s", MPJ_Error_detail());
  fail_for_all(comm, status);
  return mpj_error(status, "%s: %s", mpj_operation_name(operation), why);
}
