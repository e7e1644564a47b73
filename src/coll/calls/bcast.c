/* This file is MPJ_Bcast in its three forms. */
#include "base/entry.h"
#include "coll/calls/again.h"
#include "coll/calls/request.h"

static int prepare(void *buf, MPJ_Datatype type, int root, MPJ_Comm handle, struct mpj_prepared *p)
{
  int status = mpj_prepare(handle, MPJ_OPERATION_BCAST, root, NULL, buf, p);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_check_root(p->comm, root);
  if (status == MPJ_SUCCESS) status = mpj_check_type(type, "type", &p->call.recvtype);
  if (status == MPJ_SUCCESS) status = mpj_check_buffer(buf, p->call.recvtype, "");
  p->status = status;
  p->call.unit = 1;
  mpj_prepare_data(p, p->call.recvtype);
  return MPJ_SUCCESS;
}

MPJ_HOT int MPJ_Bcast(void *buf, MPJ_Datatype type, int root, MPJ_Comm comm)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {MPJ_OPERATION_BCAST, root, NULL, MPJ_DATATYPE_NULL, buf, type,
                                  MPJ_OP_NULL,         comm};
  struct mpj_prepared p;
  int status;
  if (mpj_again(&a, &status)) return status;
  status = prepare(buf, type, root, comm, &p);
  return status == MPJ_SUCCESS ? mpj_collective_of(&a, &p) : status;
}

int MPJ_Ibcast(void *buf, MPJ_Datatype type, int root, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_prepared p;
  const int status = prepare(buf, type, root, comm, &p);
  return status == MPJ_SUCCESS ? mpj_request_begin(&p, request) : status;
}

int MPJ_Bcast_init(void *buf, MPJ_Datatype type, int root, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_prepared p;
  const int status = prepare(buf, type, root, comm, &p);
  return status == MPJ_SUCCESS ? mpj_request_init(&p, request) : status;
}
