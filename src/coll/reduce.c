/* This file is MPJ_Reduce. */
#include "coll/collective.h"

static int check_elsewhere(const void *sendbuf, MPJ_Datatype sendtype, MPJ_Op op,
                           struct mpj_call *call)
{
  const struct mpj_op *found = NULL;
  int status = mpj_op_resolve(op, &found);
  if (status == MPJ_SUCCESS) status = mpj_check_type(sendtype, "sendtype", &call->sendtype);
  if (status == MPJ_SUCCESS) status = mpj_check_not_in_place(sendbuf, "sendbuf");
  return status == MPJ_SUCCESS ? mpj_op_prepare(found, call->sendtype, "sendtype", call) : status;
}

int MPJ_Reduce(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
               MPJ_Op op, int root, MPJ_Comm handle)
{
  struct mpj_call call = {.sendbuf = (void *)(uintptr_t)sendbuf, .recvbuf = recvbuf};
  struct mpj_comm *comm = NULL;
  int status = mpj_comm_resolve(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_check_root(comm, root);
  const bool here = comm->rank == root;
  if (status == MPJ_SUCCESS)
    status = here ? mpj_check_reduction(sendbuf, sendtype, recvbuf, recvtype, op, &call)
                  : check_elsewhere(sendbuf, sendtype, op, &call);
  return mpj_reduction(comm, MPJ_OPERATION_REDUCE, root, status,
                       here ? call.recvtype : call.sendtype, &call);
}
