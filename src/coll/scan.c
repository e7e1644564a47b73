/* This file is MPJ_Scan and MPJ_Exscan. */
#include "coll/collective.h"

static int scan(enum mpj_operation operation, const void *sendbuf, MPJ_Datatype sendtype,
                void *recvbuf, MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm handle)
{
  struct mpj_call call = {.sendbuf = (void *)(uintptr_t)sendbuf, .recvbuf = recvbuf};
  struct mpj_comm *comm = NULL;
  int status = mpj_comm_resolve(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_check_reduction(sendbuf, sendtype, recvbuf, recvtype, op, &call);
  return mpj_reduction(comm, operation, -1, status, call.recvtype, &call);
}

int MPJ_Scan(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
             MPJ_Op op, MPJ_Comm comm)
{
  return scan(MPJ_OPERATION_SCAN, sendbuf, sendtype, recvbuf, recvtype, op, comm);
}

int MPJ_Exscan(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
               MPJ_Op op, MPJ_Comm comm)
{
  return scan(MPJ_OPERATION_EXSCAN, sendbuf, sendtype, recvbuf, recvtype, op, comm);
}
