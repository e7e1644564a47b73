/* This file checks what collectives are given, and runs them. */
#include "coll/collective.h"

#include <stdio.h>

#include "base/status.h"

int mpj_check_root(const struct mpj_comm *comm, int root)
{
  if (root >= 0 && root < comm->size) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ROOT, "root is %d, comm has ranks 0 to %d", root, comm->size - 1);
}

int mpj_check_type(MPJ_Datatype handle, const char *argument, const struct mpj_type **type)
{
  struct mpj_type *resolved = NULL;
  const int status = mpj_type_resolve_committed(handle, argument, &resolved);
  if (status == MPJ_SUCCESS) *type = resolved;
  return status;
}

int mpj_check_parts(const struct mpj_comm *comm, MPJ_Datatype handle, const char *argument,
                    const struct mpj_type **type)
{
  const int status = mpj_check_type(handle, argument, type);
  if (status != MPJ_SUCCESS || (*type)->parts->count == comm->size) return status;
  return mpj_error(MPJ_ERR_PARTS, "%s has %lld parts, comm has %d ranks", argument,
                   (long long)(*type)->parts->count, comm->size);
}

int mpj_check_not_in_place(const void *buf, const char *argument)
{
  if (buf != MPJ_IN_PLACE) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG, "%s is MPJ_IN_PLACE, which has no meaning here", argument);
}

/* Go through the operation with no steps, telling the others that it failed. */
static void fail_for_all(struct mpj_comm *comm, int status)
{
  const struct mpj_call nothing = {0};
  struct mpj_slot *slot;
  mpj_engine_start(comm, &comm->no_steps, &nothing, &slot); /* needs no memory: cannot fail */
  if (!slot->abandoned) mpj_operation_abandon(comm, slot, status, comm->rank, false);
  mpj_engine_complete(comm, slot);
}

int mpj_collective(struct mpj_comm *comm, const struct mpj_choice *choice, int status,
                   const struct mpj_call *call)
{
  struct mpj_schedule *schedule;
  struct mpj_slot *slot;
  if (status == MPJ_SUCCESS) status = mpj_select_schedule(comm, choice, &schedule);
  if (status == MPJ_SUCCESS) status = mpj_engine_start(comm, schedule, call, &slot);
  if (status == MPJ_SUCCESS) return mpj_engine_complete(comm, slot);
  char why[512];
  snprintf(why, sizeof why, "%s", MPJ_Error_detail());
  fail_for_all(comm, status);
  return mpj_error(status, "%s: %s", mpj_operation_name(choice->operation), why);
}

static bool is_dense(const struct mpj_type *type)
{
  MPJ_Aint start;
  const struct mpj_view view = mpj_type_view(type);
  return mpj_view_dense(&view, &start);
}

int mpj_reduction(struct mpj_comm *comm, enum mpj_operation operation, int root, int status,
                  const struct mpj_type *data, const struct mpj_call *call)
{
  struct mpj_choice choice = {.operation = operation, .root = root};
  if (status == MPJ_SUCCESS) {
    choice.bytes = data->map.layout->signature.bytes;
    choice.cuttable = call->unit > 0;
    if (call->sendbuf == MPJ_IN_PLACE) choice.variant |= MPJ_VARIANT_IN_PLACE;
    else if (is_dense(call->sendtype)) choice.variant |= MPJ_VARIANT_SEND_DENSE;
    if (call->recvtype && is_dense(call->recvtype)) choice.variant |= MPJ_VARIANT_RECV_DENSE;
  }
  return mpj_collective(comm, &choice, status, call);
}

static int check_equal(const struct mpj_call *call)
{
  const struct mpj_signature *in = &call->sendtype->map.layout->signature;
  const struct mpj_signature *out = &call->recvtype->map.layout->signature;
  if (mpj_signature_equal(in, out)) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_SIGNATURE,
                   "sendtype has %lld bytes in %lld elements, recvtype %lld bytes in %lld elements",
                   (long long)in->bytes, (long long)in->elements, (long long)out->bytes,
                   (long long)out->elements);
}

int mpj_check_reduction(const void *sendbuf, MPJ_Datatype sendtype, const void *recvbuf,
                        MPJ_Datatype recvtype, MPJ_Op op, struct mpj_call *call)
{
  const struct mpj_op *found = NULL;
  int status = mpj_op_resolve(op, &found);
  if (status == MPJ_SUCCESS) status = mpj_check_type(recvtype, "recvtype", &call->recvtype);
  if (status == MPJ_SUCCESS) status = mpj_check_not_in_place(recvbuf, "recvbuf");
  if (status == MPJ_SUCCESS && sendbuf != MPJ_IN_PLACE) {
    status = mpj_check_type(sendtype, "sendtype", &call->sendtype);
    if (status == MPJ_SUCCESS) status = check_equal(call);
  }
  return status == MPJ_SUCCESS ? mpj_op_prepare(found, call->recvtype, "recvtype", call) : status;
}
