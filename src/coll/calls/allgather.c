/* This file is MPJ_Allgather in its three forms. */
#include "base/entry.h"
#include "coll/calls/again.h"
#include "coll/calls/request.h"

static int prepare(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                   MPJ_Comm handle, struct mpj_prepared *p)
{
  int status = mpj_prepare(handle, MPJ_OPERATION_ALLGATHER, -1, sendbuf, recvbuf, p);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_check_parts(p->comm, recvtype, "recvtype", &p->call.recvtype);
  if (status == MPJ_SUCCESS) status = mpj_check_buffer(recvbuf, p->call.recvtype, "recv");
  if (status == MPJ_SUCCESS && sendbuf != MPJ_IN_PLACE) {
    status = mpj_check_type(sendtype, "sendtype", &p->call.sendtype);
    if (status == MPJ_SUCCESS) status = mpj_check_buffer(sendbuf, p->call.sendtype, "send");
  }
  p->status = status;
  mpj_prepare_data(p, p->call.recvtype);
  return MPJ_SUCCESS;
}

MPJ_HOT int MPJ_Allgather(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                          MPJ_Datatype recvtype, MPJ_Comm comm)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {
      MPJ_OPERATION_ALLGATHER, -1, sendbuf, sendtype, recvbuf, recvtype, MPJ_OP_NULL, comm};
  struct mpj_prepared p;
  int status;
  if (mpj_again(&a, &status)) return status;
  status = prepare(sendbuf, sendtype, recvbuf, recvtype, comm, &p);
  return status == MPJ_SUCCESS ? mpj_collective_of(&a, &p) : status;
}

int MPJ_Iallgather(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                   MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_prepared p;
  const int status = prepare(sendbuf, sendtype, recvbuf, recvtype, comm, &p);
  return status == MPJ_SUCCESS ? mpj_request_begin(&p, request) : status;
}

int MPJ_Allgather_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                       MPJ_Datatype recvtype, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_prepared p;
  const int status = prepare(sendbuf, sendtype, recvbuf, recvtype, comm, &p);
  return status == MPJ_SUCCESS ? mpj_request_init(&p, request) : status;
}
