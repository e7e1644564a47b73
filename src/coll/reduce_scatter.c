/* This file is MPJ_Reduce_scatter. */
#include "base/status.h"
#include "coll/collective.h"

/* This rank's part of the input has the output's signature. */
static int check_own_part(const struct mpj_comm *comm, const struct mpj_call *call)
{
  struct mpj_view part;
  const int status = mpj_type_part_view(call->sendtype, comm->rank, &part);
  if (status != MPJ_SUCCESS) return status;
  const struct mpj_signature in = mpj_view_signature(&part);
  const struct mpj_signature *out = &call->recvtype->map.layout->signature;
  if (mpj_signature_equal(&in, out)) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_SIGNATURE,
                   "part %d of sendtype has %lld bytes in %lld elements, recvtype %lld bytes in %lld "
                   "elements",
                   comm->rank, (long long)in.bytes, (long long)in.elements, (long long)out->bytes,
                   (long long)out->elements);
}

int MPJ_Reduce_scatter(const void *sendbuf, MPJ_Datatype sendtype, void *recvbuf,
                       MPJ_Datatype recvtype, MPJ_Op op, MPJ_Comm handle)
{
  const bool in_place = sendbuf == MPJ_IN_PLACE;
  struct mpj_call call = {.sendbuf = in_place ? recvbuf : (void *)(uintptr_t)sendbuf,
                          .recvbuf = recvbuf};
  struct mpj_choice choice = {.operation = MPJ_OPERATION_REDUCE_SCATTER,
                              .root = -1,
                              .variant = in_place ? MPJ_VARIANT_IN_PLACE : 0};
  const struct mpj_op *found = NULL;
  struct mpj_comm *comm = NULL;
  int status = mpj_comm_resolve(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_op_resolve(op, &found);
  if (status == MPJ_SUCCESS) status = mpj_check_parts(comm, sendtype, "sendtype", &call.sendtype);
  if (status == MPJ_SUCCESS) status = mpj_check_type(recvtype, "recvtype", &call.recvtype);
  if (status == MPJ_SUCCESS) status = mpj_check_not_in_place(recvbuf, "recvbuf");
  if (status == MPJ_SUCCESS) status = check_own_part(comm, &call);
  if (status == MPJ_SUCCESS) status = mpj_op_prepare(found, call.recvtype, "recvtype", &call);
  return mpj_collective(comm, &choice, status, &call);
}
