/* This file is MPJ_Barrier in its three forms. */
#include "base/entry.h"
#include "coll/calls/again.h"
#include "coll/calls/request.h"

static int prepare(MPJ_Comm handle, struct mpj_prepared *p)
{
  return mpj_prepare(handle, MPJ_OPERATION_BARRIER, -1, NULL, NULL, p);
}

MPJ_HOT int MPJ_Barrier(MPJ_Comm comm)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {MPJ_OPERATION_BARRIER, -1,          NULL, MPJ_DATATYPE_NULL, NULL,
                                  MPJ_DATATYPE_NULL,     MPJ_OP_NULL, comm};
  struct mpj_prepared p;
  int status;
  if (mpj_again(&a, &status)) return status;
  status = prepare(comm, &p);
  return status == MPJ_SUCCESS ? mpj_collective_of(&a, &p) : status;
}

int MPJ_Ibarrier(MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_prepared p;
  const int status = prepare(comm, &p);
  return status == MPJ_SUCCESS ? mpj_request_begin(&p, request) : status;
}

int MPJ_Barrier_init(MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_prepared p;
  const int status = prepare(comm, &p);
  return status == MPJ_SUCCESS ? mpj_request_init(&p, request) : status;
}
