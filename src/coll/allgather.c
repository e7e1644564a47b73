/* This file is MPJ_Allgather. */
#include "coll/collective.h"

int MPJ_Allgather(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                  MPJ_Comm handle)
{
  struct mpj_call call = {.sendbuf = (void *)(uintptr_t)sendbuf, .recvbuf = recvbuf};
  struct mpj_choice choice = {.operation = MPJ_OPERATION_ALLGATHER, .root = -1};
  struct mpj_comm *comm = NULL;
  int status = mpj_comm_resolve(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_check_parts(comm, recvtype, "recvtype", &call.recvtype);
  if (status == MPJ_SUCCESS) status = mpj_check_not_in_place(recvbuf, "recvbuf");
  if (sendbuf == MPJ_IN_PLACE) choice.variant = MPJ_VARIANT_IN_PLACE;
  else if (status == MPJ_SUCCESS) status = mpj_check_type(sendtype, "sendtype", &call.sendtype);
  return mpj_collective(comm, &choice, status, &call);
}
