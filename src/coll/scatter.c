/* This file is MPJ_Scatter. */
#include "coll/collective.h"

static int check_at_root(const struct mpj_comm *comm, MPJ_Datatype sendtype, MPJ_Datatype recvtype,
                         struct mpj_call *call)
{
  int status = mpj_check_parts(comm, sendtype, "sendtype", &call->sendtype);
  if (status == MPJ_SUCCESS) status = mpj_check_not_in_place(call->sendbuf, "sendbuf");
  if (status == MPJ_SUCCESS && call->recvbuf != MPJ_IN_PLACE)
    status = mpj_check_type(recvtype, "recvtype", &call->recvtype);
  return status;
}

static int check_elsewhere(MPJ_Datatype recvtype, struct mpj_call *call)
{
  const int status = mpj_check_type(recvtype, "recvtype", &call->recvtype);
  if (status != MPJ_SUCCESS) return status;
  return mpj_check_not_in_place(call->recvbuf, "recvbuf");
}

int MPJ_Scatter(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                int root, MPJ_Comm handle)
{
  struct mpj_call call = {.sendbuf = (void *)(uintptr_t)sendbuf, .recvbuf = recvbuf};
  const struct mpj_choice choice = {.operation = MPJ_OPERATION_SCATTER, .root = root};
  struct mpj_comm *comm = NULL;
  int status = mpj_comm_resolve(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_check_root(comm, root);
  if (status == MPJ_SUCCESS)
    status = comm->rank == root ? check_at_root(comm, sendtype, recvtype, &call)
                                : check_elsewhere(recvtype, &call);
  return mpj_collective(comm, &choice, status, &call);
}
