/* This file is MPJ_Barrier. */
#include "coll/collective.h"

int MPJ_Barrier(MPJ_Comm handle)
{
  const struct mpj_call call = {0};
  struct mpj_comm *comm = NULL;
  const int status = mpj_comm_resolve(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  return mpj_collective(comm, MPJ_OPERATION_BARRIER, -1, MPJ_SUCCESS, &call);
}
