/* This file is MPJ_Scatter in its three forms. */
#include "base/entry.h"
#include "coll/calls/again.h"
#include "coll/calls/request.h"

static int check_at_root(const struct mpj_comm *comm, MPJ_Datatype sendtype, MPJ_Datatype recvtype,
                         struct mpj_call *call)
{
  int status = mpj_check_parts(comm, sendtype, "sendtype", &call->sendtype);
  if (status == MPJ_SUCCESS) status = mpj_check_buffer(call->sendbuf, call->sendtype, "send");
  if (status != MPJ_SUCCESS || call->recvbuf == MPJ_IN_PLACE) return status;
  status = mpj_check_type(recvtype, "recvtype", &call->recvtype);
  return status == MPJ_SUCCESS ? mpj_check_buffer(call->recvbuf, call->recvtype, "recv") : status;
}

static int check_elsewhere(MPJ_Datatype recvtype, struct mpj_call *call)
{
  const int status = mpj_check_type(recvtype, "recvtype", &call->recvtype);
  return status == MPJ_SUCCESS ? mpj_check_buffer(call->recvbuf, call->recvtype, "recv") : status;
}

static int prepare(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                   int root, MPJ_Comm handle, struct mpj_prepared *p)
{
  int status = mpj_prepare(handle, MPJ_OPERATION_SCATTER, root, sendbuf, recvbuf, p);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_check_root(p->comm, root);
  if (status == MPJ_SUCCESS)
    status = p->comm->rank == root ? check_at_root(p->comm, sendtype, recvtype, &p->call)
                                   : check_elsewhere(recvtype, &p->call);
  p->status = status;
  return MPJ_SUCCESS;
}

MPJ_HOT int MPJ_Scatter(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                        MPJ_Datatype recvtype, int root, MPJ_Comm comm)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {MPJ_OPERATION_SCATTER, root, sendbuf, sendtype, recvbuf, recvtype,
                                  MPJ_OP_NULL,           comm};
  struct mpj_prepared p;
  int status;
  if (mpj_again(&a, &status)) return status;
  status = prepare(sendbuf, sendtype, recvbuf, recvtype, root, comm, &p);
  return status == MPJ_SUCCESS ? mpj_collective_of(&a, &p) : status;
}

int MPJ_Iscatter(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                 int root, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_prepared p;
  const int status = prepare(sendbuf, sendtype, recvbuf, recvtype, root, comm, &p);
  return status == MPJ_SUCCESS ? mpj_request_begin(&p, request) : status;
}

int MPJ_Scatter_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                     MPJ_Datatype recvtype, int root, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_prepared p;
  const int status = prepare(sendbuf, sendtype, recvbuf, recvtype, root, comm, &p);
  return status == MPJ_SUCCESS ? mpj_request_init(&p, request) : status;
}
