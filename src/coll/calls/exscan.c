/* This file is MPJ_Exscan in its three forms. */
#include "base/entry.h"
#include "coll/calls/again.h"
#include "coll/calls/request.h"

static int prepare(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                   MPJ_Op op, MPJ_Comm handle, struct mpj_prepared *p)
{
  const int status = mpj_prepare(handle, MPJ_OPERATION_EXSCAN, -1, sendbuf, recvbuf, p);
  if (status != MPJ_SUCCESS) return status;
  p->status = mpj_check_reduction(sendtype, recvtype, op, p->comm->rank > 0, &p->call);
  mpj_prepare_reduction(p, p->call.recvtype);
  return MPJ_SUCCESS;
}

MPJ_HOT int MPJ_Exscan(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                       MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {
      MPJ_OPERATION_EXSCAN, -1, sendbuf, sendtype, recvbuf, recvtype, op, comm};
  struct mpj_prepared p;
  int status;
  if (mpj_again(&a, &status)) return status;
  status = prepare(sendbuf, sendtype, recvbuf, recvtype, op, comm, &p);
  return status == MPJ_SUCCESS ? mpj_collective_of(&a, &p) : status;
}

int MPJ_Iexscan(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                MPJ_Op op, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_prepared p;
  const int status = prepare(sendbuf, sendtype, recvbuf, recvtype, op, comm, &p);
  return status == MPJ_SUCCESS ? mpj_request_begin(&p, request) : status;
}

int MPJ_Exscan_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                    MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_prepared p;
  const int status = prepare(sendbuf, sendtype, recvbuf, recvtype, op, comm, &p);
  return status == MPJ_SUCCESS ? mpj_request_init(&p, request) : status;
}
