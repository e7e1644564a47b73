/* This file checks what collectives are given, and runs them. */
#include "coll/calls/collective.h"
#include "coll/calls/again.h"

#include <stdio.h>

#include "base/config/config.h"
#include "base/status.h"
#include "coll/check/check.h"
#include "coll/comm/context.h"
#include "coll/run/quick.h"
#include "pack/run/address.h"
#include "pack/run/overlap.h"
#include "types/introspect/letters.h"

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

int mpj_check_buffer(const void *buf, const struct mpj_type *type, const char *side)
{
  if (buf == MPJ_IN_PLACE)
    return mpj_error(MPJ_ERR_ARG, "%sbuf is MPJ_IN_PLACE, which has no meaning here", side);
  if (buf || !mpj_type_needs_base(type)) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG, "%sbuf is NULL, and %stype's data begins at displacement %td", side,
                   side, type->map.displ);
}

int mpj_check_apart(const struct mpj_call *call)
{
  const struct mpj_type *out = call->sendtype, *in = call->recvtype;
  if (out->map.layout->signature.bytes == 0 || in->map.layout->signature.bytes == 0 ||
      mpj_at(call->sendbuf, out->map.displ) != mpj_at(call->recvbuf, in->map.displ))
    return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG,
                   "sendbuf and recvbuf have their data at the same address, %p; "
                   "MPJ_IN_PLACE as sendbuf says that this is meant",
                   (void *)mpj_at(call->sendbuf, out->map.displ));
}

int mpj_prepare(MPJ_Comm handle, enum mpj_operation operation, int root, const void *sendbuf,
                void *recvbuf, struct mpj_prepared *p)
{
  *p = (struct mpj_prepared){.choice = {.agreed.operation = operation, .root = root},
                             .call = {.sendbuf = (void *)(uintptr_t)sendbuf, .recvbuf = recvbuf}};
  struct mpj_context *context = mpj_hold(mpj_context_current());
  const int status = mpj_comm_resolve(handle, &p->comm);
  if (status != MPJ_SUCCESS) mpj_let_go(context);
  return status;
}

/* Wait for room. What arrives meanwhile may break the communicator: nothing may begin
 * on it then, as the others have been told already. */
static int make_room(struct mpj_comm *comm)
{
  mpj_engine_make_room(comm);
  return mpj_comm_reported(comm, mpj_comm_check(comm));
}

static int get_ready(const struct mpj_prepared *p)
{
  int status = make_room(p->comm);
  if (!p->comm->checker || status != MPJ_SUCCESS) return status;
  status = mpj_check(p);
  return status == MPJ_SUCCESS ? make_room(p->comm) : status;
}

/* Whether this rank receives into recvtype what is not combined with what is there. */
static bool only_receives(const struct mpj_comm *comm, const struct mpj_choice *choice)
{
  switch (choice->agreed.operation) {
  case MPJ_OPERATION_BCAST:
    return comm->rank != choice->root;
  case MPJ_OPERATION_GATHER:
  case MPJ_OPERATION_SCATTER:
  case MPJ_OPERATION_ALLGATHER:
  case MPJ_OPERATION_ALLTOALL:
    return true;
  default:
    return false;
  }
}

static int check_receive(const struct mpj_prepared *p)
{
  const struct mpj_type *type = p->call.recvtype;
  struct mpj_overlap overlap;
  if (!type || !only_receives(p->comm, &p->choice)) return MPJ_SUCCESS;
  const int status = mpj_layout_overlap(type->map.layout, &overlap);
  if (status != MPJ_SUCCESS || !overlap.found) return status;
  return mpj_error(MPJ_ERR_TYPE,
                   "%s receives into some memory twice: its data at displacement %td overlaps that "
                   "at displacement %td",
                   p->choice.agreed.operation == MPJ_OPERATION_BCAST ? "type" : "recvtype",
                   type->map.displ + overlap.second, type->map.displ + overlap.first);
}

const struct mpj_prepared *mpj_check_receive(const struct mpj_prepared *p,
                                             struct mpj_prepared *copy)
{
  if (!mpj_config()->check || p->status != MPJ_SUCCESS) return p;
  const int status = check_receive(p);
  if (status == MPJ_SUCCESS) return p;
  *copy = *p;
  copy->status = status;
  return copy;
}

static int run(const struct mpj_prepared *given)
{
  struct mpj_prepared copy;
  const struct mpj_prepared *p = mpj_check_receive(given, &copy);
  struct mpj_schedule *schedule;
  struct mpj_slot *slot;
  const int ready = get_ready(p);
  if (ready != MPJ_SUCCESS) return ready;
  int status = p->status;
  if (status == MPJ_SUCCESS) status = mpj_schedule_for(p->comm, &p->choice, &schedule);
  if (status == MPJ_SUCCESS && schedule->quick && mpj_quick_is_for(schedule->quick, &p->call) &&
      mpj_quick_run(p->comm, schedule, &p->call, &status))
    return status;
  if (status == MPJ_SUCCESS) status = mpj_engine_start(p->comm, schedule, &p->call, &slot);
  if (status == MPJ_SUCCESS) {
    if (schedule->quick) mpj_quick_learn(p->comm, slot);
    return mpj_engine_complete(p->comm, slot);
  }
  char why[512];
  mpj_error_keep(why, sizeof why);
  mpj_engine_complete(p->comm, mpj_engine_start_failed(p->comm, status));
  return mpj_error(status, "%s", why);
}

int mpj_collective(const struct mpj_prepared *p)
{
  struct mpj_context *context = p->comm->context;
  const int status = run(p);
  mpj_let_go(context);
  return status;
}

static bool is_dense(const struct mpj_type *type)
{
  MPJ_Aint start;
  const struct mpj_view view = mpj_type_view(type);
  return mpj_view_dense(&view, &start);
}

void mpj_prepare_data(struct mpj_prepared *p, const struct mpj_type *data)
{
  const struct mpj_call *call = &p->call;
  if (p->status != MPJ_SUCCESS) return;
  p->choice.agreed.bytes = data->map.layout->signature.bytes;
  p->choice.agreed.cuttable = call->unit > 0;
  if (call->sendbuf == MPJ_IN_PLACE)
    p->choice.local |= MPJ_VARIANT_IN_PLACE;
  else if (call->sendtype && is_dense(call->sendtype))
    p->choice.local |= MPJ_VARIANT_SEND_DENSE;
  if (call->recvtype && is_dense(call->recvtype)) p->choice.local |= MPJ_VARIANT_RECV_DENSE;
}

void mpj_prepare_reduction(struct mpj_prepared *p, const struct mpj_type *data)
{
  const struct mpj_call *call = &p->call;
  const bool commutes = call->op ? call->op->commutative : call->reduce != 1 + MPJ_REDUCE_REPLACE;
  p->choice.agreed.ordered = !commutes;
  mpj_prepare_data(p, data);
}

static int check_equal(const struct mpj_call *call)
{
  const struct mpj_signature *in = &call->sendtype->map.layout->signature;
  const struct mpj_signature *out = &call->recvtype->map.layout->signature;
  char one[MPJ_LETTERS_SUBJECT], other[MPJ_LETTERS_SUBJECT];
  if (mpj_signature_equal(in, out)) return MPJ_SUCCESS;
  const struct mpj_view sent = mpj_type_view(call->sendtype),
                        received = mpj_type_view(call->recvtype);
  return mpj_letters_refuse(
      mpj_letters_subject("sendtype", call->sendtype, "describes", one), &sent,
      mpj_letters_subject("recvtype", call->recvtype, "describes", other), &received);
}

int mpj_check_reduction(MPJ_Datatype sendtype, MPJ_Datatype recvtype, MPJ_Op op, bool has_result,
                        struct mpj_call *call)
{
  const struct mpj_op *found = NULL;
  int status = mpj_op_resolve(op, &found);
  if (status == MPJ_SUCCESS) status = mpj_check_type(recvtype, "recvtype", &call->recvtype);
  if (status == MPJ_SUCCESS && (call->recvbuf || has_result || call->sendbuf == MPJ_IN_PLACE))
    status = mpj_check_buffer(call->recvbuf, call->recvtype, "recv");
  if (status == MPJ_SUCCESS && call->sendbuf != MPJ_IN_PLACE) {
    status = mpj_check_type(sendtype, "sendtype", &call->sendtype);
    if (status == MPJ_SUCCESS) status = mpj_check_buffer(call->sendbuf, call->sendtype, "send");
    if (status == MPJ_SUCCESS) status = check_equal(call);
    if (status == MPJ_SUCCESS && has_result) status = mpj_check_apart(call);
  }
  return status == MPJ_SUCCESS ? mpj_op_prepare(found, call->recvtype, "recvtype", call) : status;
}
