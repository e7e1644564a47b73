/* This file is MPJ_Bcast. */
#include "coll/collective.h"

int MPJ_Bcast(void *buf, MPJ_Datatype type, int root, MPJ_Comm handle)
{
  struct mpj_call call = {.recvbuf = buf};
  const struct mpj_choice choice = {.operation = MPJ_OPERATION_BCAST, .root = root};
  struct mpj_comm *comm = NULL;
  int status = mpj_comm_resolve(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_check_root(comm, root);
  if (status == MPJ_SUCCESS) status = mpj_check_type(type, "type", &call.recvtype);
  if (status == MPJ_SUCCESS) status = mpj_check_not_in_place(buf, "buf");
  return mpj_collective(comm, &choice, status, &call);
}
