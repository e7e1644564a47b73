/* This file is MPJ_Reduce_scatter in its three forms. */
#include <stdio.h>

#include "base/entry.h"
#include "base/status.h"
#include "coll/calls/again.h"
#include "coll/calls/request.h"
#include "types/introspect/letters.h"

/* This rank's part of the input has the output's signature. */
static int check_own_part(const struct mpj_comm *comm, const struct mpj_call *call)
{
  struct mpj_view part;
  const int status = mpj_type_part_view(call->sendtype, comm->rank, &part);
  if (status != MPJ_SUCCESS) return status;
  const struct mpj_signature in = mpj_view_signature(&part);
  const struct mpj_signature *out = &call->recvtype->map.layout->signature;
  char one[MPJ_LETTERS_SUBJECT], other[MPJ_LETTERS_SUBJECT];
  if (mpj_signature_equal(&in, out)) return MPJ_SUCCESS;
  const struct mpj_view received = mpj_type_view(call->recvtype);
  snprintf(one, sizeof one, "part %d of sendtype describes", comm->rank);
  return mpj_letters_refuse(
      one, &part, mpj_letters_subject("recvtype", call->recvtype, "describes", other), &received);
}

static int check(MPJ_Datatype sendtype, MPJ_Datatype recvtype, MPJ_Op op, struct mpj_prepared *p)
{
  const struct mpj_op *found = NULL;
  struct mpj_call *call = &p->call;
  int status = mpj_op_resolve(op, &found);
  if (status == MPJ_SUCCESS)
    status = mpj_check_parts(p->comm, sendtype, "sendtype", &call->sendtype);
  if (status == MPJ_SUCCESS) status = mpj_check_type(recvtype, "recvtype", &call->recvtype);
  if (status == MPJ_SUCCESS) status = mpj_check_buffer(call->recvbuf, call->recvtype, "recv");
  if (status == MPJ_SUCCESS) status = mpj_check_buffer(call->sendbuf, call->sendtype, "send");
  if (status == MPJ_SUCCESS && p->choice.local != MPJ_VARIANT_IN_PLACE)
    status = mpj_check_apart(call);
  if (status == MPJ_SUCCESS) status = check_own_part(p->comm, call);
  if (status == MPJ_SUCCESS) status = mpj_op_prepare(found, call->recvtype, "recvtype", call);
  call->temp = NULL; /* temporaries hold any ranks' parts */
  call->unit = 0;
  return status == MPJ_SUCCESS ? mpj_op_prepare(found, call->sendtype, "sendtype", call) : status;
}

static int prepare(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf, MPJ_Datatype recvtype,
                   MPJ_Op op, MPJ_Comm handle, struct mpj_prepared *p)
{
  const int status = mpj_prepare(handle, MPJ_OPERATION_REDUCE_SCATTER, -1, sendbuf, recvbuf, p);
  if (status != MPJ_SUCCESS) return status;
  if (sendbuf == MPJ_IN_PLACE) { /* the input is recvbuf through sendtype */
    p->call.sendbuf = recvbuf;
    p->choice.local = MPJ_VARIANT_IN_PLACE;
  }
  p->status = check(sendtype, recvtype, op, p);
  mpj_prepare_reduction(p, p->call.sendtype);
  return MPJ_SUCCESS;
}

MPJ_HOT int MPJ_Reduce_scatter(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                               MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm)
{
  MPJ_ENTRY;
  const struct mpj_arguments a = {
      MPJ_OPERATION_REDUCE_SCATTER, -1, sendbuf, sendtype, recvbuf, recvtype, op, comm};
  struct mpj_prepared p;
  int status;
  if (mpj_again(&a, &status)) return status;
  status = prepare(sendbuf, sendtype, recvbuf, recvtype, op, comm, &p);
  return status == MPJ_SUCCESS ? mpj_collective_of(&a, &p) : status;
}

int MPJ_Ireduce_scatter(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                        MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_prepared p;
  const int status = prepare(sendbuf, sendtype, recvbuf, recvtype, op, comm, &p);
  return status == MPJ_SUCCESS ? mpj_request_begin(&p, request) : status;
}

int MPJ_Reduce_scatter_init(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                            MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm comm, MPJ_Request *request)
{
  MPJ_ENTRY;
  struct mpj_prepared p;
  const int status = prepare(sendbuf, sendtype, recvbuf, recvtype, op, comm, &p);
  return status == MPJ_SUCCESS ? mpj_request_init(&p, request) : status;
}
