/* This file is MPJ_Allreduce. */
#include "coll/collective.h"

int MPJ_Allreduce(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                  MPJ_Op op, MPJ_Comm handle)
{
  struct mpj_call call = {.sendbuf = (void *)(uintptr_t)sendbuf, .recvbuf = recvbuf};
  struct mpj_comm *comm = NULL;
  int status = mpj_comm_resolve(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_check_reduction(sendbuf, sendtype, recvbuf, recvtype, op, &call);
  return mpj_reduction(comm, MPJ_OPERATION_ALLREDUCE, -1, status, call.recvtype, &call);
}
