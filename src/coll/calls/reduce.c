/* This file is MPJ_Reduce in its three forms. */
#include "base/entry.h"
#include "coll/calls/again.h"
#include "coll/calls/request.h"

static int check_elsewhere(MPJ_Datatype sendtype, MPJ_Op op, struct mpj_call *call)
{
  const struct mpj_op *found = NULL;
  int status = mpj_op_resolve(op, &found);
  if (status == MPJ_SUCCESS) status = mpj_check_type(sendtype, "sendtype", &call->sendtype);
  if (status == MPJ_SUCCESS) status = mpj_check_buffer(call->sendbuf, call->sendtype, "send");
  return status == MPJ_SUCCESS ? mpj_op_prepare(found, call->sendtype, "sendtype", call) : status;
}

static int prepare(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                   MPJ_Op op, int root, MPJ_Comm handle, struct mpj_prepared *p)
{
  int status = mpj_prepare(handle, MPJ_OPERATION_REDUCE, root, sendbuf, recvbuf, p);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_check_root(p->comm, root);
  const bool here = p->comm->rank == root;
  if (status == MPJ_SUCCESS)
    status = here ? mpj_check_reduction(sendtype, recvtype, op, true, &p->call)
                  : check_elsewhere(sendtype, op, &p->call);
  p->status = status;
  mpj_prepare_reduction(p, here ? p->call.recvtype : p->call.sendtype);
  return MPJ_SUCCESS;
}

MPJ_HOT int MPJ_Reduce(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                       MPJ_Datatype recvtype, MPJ_Op op, int root, MPJ_Comm comm)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {
      MPJ_OPERATION_REDUCE, root, sendbuf, sendtype, recvbuf, recvtype, op, comm};
  struct mpj_prepared p;
  int status;
  if (mpj_again(&a, &status)) return status;
  status = prepare(sendbuf, sendtype, recvbuf, recvtype, op, root, comm, &p);
  return status == MPJ_SUCCESS ? mpj_collective_of(&a, &p) : status;
}

int MPJ_Ireduce(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                MPJ_Op op, int root, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_prepared p;
  const int status = prepare(sendbuf, sendtype, recvbuf, recvtype, op, root, comm, &p);
  return status == MPJ_SUCCESS ? mpj_request_begin(&p, request) : status;
}

int MPJ_Reduce_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                    MPJ_Datatype recvtype, MPJ_Op op, int root, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_prepared p;
  const int status = prepare(sendbuf, sendtype, recvbuf, recvtype, op, root, comm, &p);
  return status == MPJ_SUCCESS ? mpj_request_init(&p, request) : status;
}
