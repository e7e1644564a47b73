/* This file is MPJ_Barrier. */
#include "coll/collective.h"

int MPJ_Barrier(MPJ_Comm handle)
{
  const struct mpj_call call = {0};
  const struct mpj_choice choice = {.operation = MPJ_OPERATION_BARRIER, .root = -1};
  struct mpj_comm *comm = NULL;
  const int status = mpj_comm_resolve(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  return mpj_collective(comm, &choice, MPJ_SUCCESS, &call);
}
