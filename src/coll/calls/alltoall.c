/* This file is MPJ_Alltoall in its three forms. */
#include "base/entry.h"
#include "coll/calls/again.h"
#include "coll/calls/request.h"

static int prepare(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                   MPJ_Comm handle, struct mpj_prepared *p)
{
  int status = mpj_prepare(handle, MPJ_OPERATION_ALLTOALL, -1, sendbuf, recvbuf, p);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_check_parts(p->comm, recvtype, "recvtype", &p->call.recvtype);
  if (status == MPJ_SUCCESS) status = mpj_check_buffer(recvbuf, p->call.recvtype, "recv");
  if (sendbuf == MPJ_IN_PLACE) {
    p->choice.local = MPJ_VARIANT_IN_PLACE;
  } else if (status == MPJ_SUCCESS) {
    status = mpj_check_parts(p->comm, sendtype, "sendtype", &p->call.sendtype);
    if (status == MPJ_SUCCESS) status = mpj_check_buffer(sendbuf, p->call.sendtype, "send");
    if (status == MPJ_SUCCESS) status = mpj_check_apart(&p->call);
  }
  p->status = status;
  return MPJ_SUCCESS;
}

MPJ_HOT int MPJ_Alltoall(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                         MPJ_Datatype recvtype, MPJ_Comm comm)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {
      MPJ_OPERATION_ALLTOALL, -1, sendbuf, sendtype, recvbuf, recvtype, MPJ_OP_NULL, comm};
  struct mpj_prepared p;
  int status;
  if (mpj_again(&a, &status)) return status;
  status = prepare(sendbuf, sendtype, recvbuf, recvtype, comm, &p);
  return status == MPJ_SUCCESS ? mpj_collective_of(&a, &p) : status;
}

int MPJ_Ialltoall(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                  MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_prepared p;
  const int status = prepare(sendbuf, sendtype, recvbuf, recvtype, comm, &p);
  return status == MPJ_SUCCESS ? mpj_request_begin(&p, request) : status;
}

int MPJ_Alltoall_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                      MPJ_Datatype recvtype, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_prepared p;
  const int status = prepare(sendbuf, sendtype, recvbuf, recvtype, comm, &p);
  return status == MPJ_SUCCESS ? mpj_request_init(&p, request) : status;
}
