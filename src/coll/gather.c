/* This file is MPJ_Gather. */
#include "coll/collective.h"

static int check_at_root(const struct mpj_comm *comm, MPJ_Datatype sendtype, MPJ_Datatype recvtype,
                         struct mpj_call *call)
{
  int status = mpj_check_parts(comm, recvtype, "recvtype", &call->recvtype);
  if (status == MPJ_SUCCESS) status = mpj_check_not_in_place(call->recvbuf, "recvbuf");
  if (status == MPJ_SUCCESS && call->sendbuf != MPJ_IN_PLACE)
    status = mpj_check_type(sendtype, "sendtype", &call->sendtype);
  return status;
}

static int check_elsewhere(MPJ_Datatype sendtype, struct mpj_call *call)
{
  const int status = mpj_check_type(sendtype, "sendtype", &call->sendtype);
  if (status != MPJ_SUCCESS) return status;
  return mpj_check_not_in_place(call->sendbuf, "sendbuf");
}

int MPJ_Gather(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
               int root, MPJ_Comm handle)
{
  struct mpj_call call = {.sendbuf = (void *)(uintptr_t)sendbuf, .recvbuf = recvbuf};
  const struct mpj_choice choice = {.operation = MPJ_OPERATION_GATHER, .root = root};
  struct mpj_comm *comm = NULL;
  int status = mpj_comm_resolve(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_check_root(comm, root);
  if (status == MPJ_SUCCESS)
    status = comm->rank == root ? check_at_root(comm, sendtype, recvtype, &call)
                                : check_elsewhere(sendtype, &call);
  return mpj_collective(comm, &choice, status, &call);
}
