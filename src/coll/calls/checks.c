/* This file checks the arguments of the collectives: a row of a table for each. */
#include <stdio.h>

#include "base/status.h"
#include "coll/calls/collective.h"
#include "coll/comm/context.h"
#include "coll/threads/hold.h"
#include "pack/run/address.h"
#include "types/introspect/letters.h"
#include "types/sparse/sparse.h"

/* One argument */

int mpj_check_root(const struct mpj_comm *comm, int root)
{
  if (root >= 0 && root < comm->size) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ROOT, "root is %d, comm has ranks 0 to %d", root, comm->size - 1);
}

/* A type that is used by parts, as many as there are ranks. */
static int check_parts(const struct mpj_comm *comm, MPJ_Datatype handle, const char *argument,
                       const struct mpj_type **type)
{
  char text[MPJ_LETTERS_SUBJECT];
  const int status = mpj_type_committed(handle, argument, type);
  if (status != MPJ_SUCCESS || (*type)->parts->count == comm->size) return status;
  return mpj_error(MPJ_ERR_PARTS, "%s has %lld parts, comm has %d ranks",
                   mpj_letters_argument(argument, *type, text), (long long)(*type)->parts->count,
                   comm->size);
}

/* The arguments are `side`buf and `side`type. */
static int check_buffer(const void *buf, const struct mpj_type *type, const char *side)
{
  if (buf == MPJ_IN_PLACE)
    return mpj_error(MPJ_ERR_ARG, "%sbuf is MPJ_IN_PLACE, which has no meaning here", side);
  if (buf || !mpj_type_needs_base(type)) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG, "%sbuf is NULL, and %stype's data begins at displacement %td", side,
                   side, mpj_type_lowest(type));
}

enum whole_or_parts { WHOLE, PARTS };

static int check_send(const struct mpj_arguments *a, enum whole_or_parts used,
                      struct mpj_prepared *p)
{
  struct mpj_call *call = &p->call;
  const int status = used == PARTS ? check_parts(p->comm, a->sendtype, "sendtype", &call->sendtype)
                                   : mpj_type_committed(a->sendtype, "sendtype", &call->sendtype);
  return status == MPJ_SUCCESS ? check_buffer(call->sendbuf, call->sendtype, "send") : status;
}

static int check_recv(const struct mpj_arguments *a, enum whole_or_parts used,
                      struct mpj_prepared *p)
{
  struct mpj_call *call = &p->call;
  const int status = used == PARTS ? check_parts(p->comm, a->recvtype, "recvtype", &call->recvtype)
                                   : mpj_type_committed(a->recvtype, "recvtype", &call->recvtype);
  return status == MPJ_SUCCESS ? check_buffer(call->recvbuf, call->recvtype, "recv") : status;
}

/* Both sides' data may not begin at one address: what comes would overwrite what is still needed.
 */
static int check_apart(const struct mpj_call *call)
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

/* Data movement */

static int check_nothing(const struct mpj_arguments *a, struct mpj_prepared *p)
{
  (void)a;
  (void)p;
  return MPJ_SUCCESS;
}

static int check_bcast(const struct mpj_arguments *a, struct mpj_prepared *p)
{
  p->call.unit = 1;
  const int status = mpj_type_committed(a->recvtype, "type", &p->call.recvtype);
  p->data = p->call.recvtype;
  return status == MPJ_SUCCESS ? check_buffer(a->recvbuf, p->call.recvtype, "") : status;
}

static int check_gather(const struct mpj_arguments *a, struct mpj_prepared *p)
{
  if (p->comm->rank != a->root) return check_send(a, WHOLE, p);
  const int status = check_recv(a, PARTS, p);
  return status == MPJ_SUCCESS && a->sendbuf != MPJ_IN_PLACE ? check_send(a, WHOLE, p) : status;
}

static int check_scatter(const struct mpj_arguments *a, struct mpj_prepared *p)
{
  if (p->comm->rank != a->root) return check_recv(a, WHOLE, p);
  const int status = check_send(a, PARTS, p);
  return status == MPJ_SUCCESS && a->recvbuf != MPJ_IN_PLACE ? check_recv(a, WHOLE, p) : status;
}

static int check_allgather(const struct mpj_arguments *a, struct mpj_prepared *p)
{
  const int status = check_recv(a, PARTS, p);
  p->data = p->call.recvtype;
  return status == MPJ_SUCCESS && a->sendbuf != MPJ_IN_PLACE ? check_send(a, WHOLE, p) : status;
}

/* Types are sparse on both sides or on none. */
static int check_sparse(struct mpj_prepared *p)
{
  const struct mpj_type *const types[2] = {p->call.recvtype, p->call.sendtype};
  const struct mpj_sparse *sparse[2] = {NULL, NULL};
  for (int k = 0; k < 2; k++)
    if (types[k]) sparse[k] = mpj_sparse_of(types[k]->parts);
  if (types[1] && !sparse[0] != !sparse[1])
    return mpj_error(MPJ_ERR_PARTS, "%s is sparse, %s is not", sparse[0] ? "recvtype" : "sendtype",
                     sparse[0] ? "sendtype" : "recvtype");
  if (!sparse[0]) return MPJ_SUCCESS;
  p->choice.agreed.sparse = true;
  p->choice.root = MPJ_SPARSE_ALLTOALL;
  for (int k = 0; k < 2; k++)
    if (sparse[k]) p->choice.lists[k] = &sparse[k]->filled;
  return MPJ_SUCCESS;
}

static int check_alltoall(const struct mpj_arguments *a, struct mpj_prepared *p)
{
  int status = check_recv(a, PARTS, p);
  if (a->sendbuf == MPJ_IN_PLACE)
    p->choice.local = MPJ_VARIANT_IN_PLACE;
  else if (status == MPJ_SUCCESS)
    status = check_send(a, PARTS, p);
  if (status == MPJ_SUCCESS && a->sendbuf != MPJ_IN_PLACE) status = check_apart(&p->call);
  return status == MPJ_SUCCESS ? check_sparse(p) : status;
}

/* Reductions */

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

/* The input, where it is not in place, against the output. */
static int check_input(const struct mpj_arguments *a, bool has_result, struct mpj_prepared *p)
{
  int status = check_send(a, WHOLE, p);
  if (status == MPJ_SUCCESS) status = check_equal(&p->call);
  return status == MPJ_SUCCESS && has_result ? check_apart(&p->call) : status;
}

/* A reduction of whole types. Only where the rank neither gets a result nor gives recvbuf's data
 * may recvbuf be NULL. */
static int check_reduction(const struct mpj_arguments *a, bool has_result, struct mpj_prepared *p)
{
  const struct mpj_op *found = NULL;
  struct mpj_call *call = &p->call;
  const bool in_place = a->sendbuf == MPJ_IN_PLACE;
  int status = mpj_op_resolve(a->op, &found);
  if (status == MPJ_SUCCESS) status = mpj_type_committed(a->recvtype, "recvtype", &call->recvtype);
  p->data = call->recvtype;
  if (status == MPJ_SUCCESS && (call->recvbuf || has_result || in_place))
    status = check_buffer(call->recvbuf, call->recvtype, "recv");
  if (status == MPJ_SUCCESS && !in_place) status = check_input(a, has_result, p);
  return status == MPJ_SUCCESS ? mpj_op_prepare(found, call->recvtype, "recvtype", call) : status;
}

static int check_reduction_with_result(const struct mpj_arguments *a, struct mpj_prepared *p)
{
  return check_reduction(a, true, p);
}

static int check_exscan(const struct mpj_arguments *a, struct mpj_prepared *p)
{
  return check_reduction(a, p->comm->rank > 0, p);
}

static int check_reduce(const struct mpj_arguments *a, struct mpj_prepared *p)
{
  const struct mpj_op *found = NULL;
  if (p->comm->rank == a->root) return check_reduction(a, true, p);
  int status = mpj_op_resolve(a->op, &found);
  if (status == MPJ_SUCCESS) status = check_send(a, WHOLE, p);
  p->data = p->call.sendtype;
  return status == MPJ_SUCCESS ? mpj_op_prepare(found, p->call.sendtype, "sendtype", &p->call)
                               : status;
}

/* This rank's part of the input has the output's signature. */
static int check_own_part(const struct mpj_comm *comm, const struct mpj_call *call)
{
  struct mpj_view part;
  const int status = mpj_type_part_view(call->sendtype, comm->rank, &part);
  if (status != MPJ_SUCCESS) return status;
  const struct mpj_signature in = mpj_view_signature(&part);
  const struct mpj_signature *out = &call->recvtype->map.layout->signature;
  char one[MPJ_LETTERS_SUBJECT], other[MPJ_LETTERS_SUBJECT], argument[40];
  if (mpj_signature_equal(&in, out)) return MPJ_SUCCESS;
  const struct mpj_view received = mpj_type_view(call->recvtype);
  snprintf(argument, sizeof argument, "part %d of sendtype", comm->rank);
  return mpj_letters_refuse(mpj_letters_subject(argument, call->sendtype, "describes", one), &part,
                            mpj_letters_subject("recvtype", call->recvtype, "describes", other),
                            &received);
}

static int check_reduce_scatter(const struct mpj_arguments *a, struct mpj_prepared *p)
{
  const struct mpj_op *found = NULL;
  struct mpj_call *call = &p->call;
  const bool in_place = a->sendbuf == MPJ_IN_PLACE;
  if (in_place) { /* the input is recvbuf through sendtype */
    call->sendbuf = a->recvbuf;
    p->choice.local = MPJ_VARIANT_IN_PLACE;
  }
  int status = mpj_op_resolve(a->op, &found);
  if (status == MPJ_SUCCESS)
    status = check_parts(p->comm, a->sendtype, "sendtype", &call->sendtype);
  p->data = call->sendtype;
  if (status == MPJ_SUCCESS) status = check_recv(a, WHOLE, p);
  if (status == MPJ_SUCCESS) status = check_buffer(call->sendbuf, call->sendtype, "send");
  if (status == MPJ_SUCCESS && !in_place) status = check_apart(call);
  if (status == MPJ_SUCCESS) status = check_own_part(p->comm, call);
  if (status == MPJ_SUCCESS) status = mpj_op_prepare(found, call->recvtype, "recvtype", call);
  call->temp = NULL; /* temporaries hold any ranks' parts */
  call->unit = 0;
  return status == MPJ_SUCCESS ? mpj_op_prepare(found, call->sendtype, "sendtype", call) : status;
}

/* All */

static int (*const checks[MPJ_OPERATIONS])(const struct mpj_arguments *a,
                                           struct mpj_prepared *p) = {
    [MPJ_OPERATION_BARRIER] = check_nothing,
    [MPJ_OPERATION_BCAST] = check_bcast,
    [MPJ_OPERATION_GATHER] = check_gather,
    [MPJ_OPERATION_SCATTER] = check_scatter,
    [MPJ_OPERATION_ALLGATHER] = check_allgather,
    [MPJ_OPERATION_ALLTOALL] = check_alltoall,
    [MPJ_OPERATION_REDUCE] = check_reduce,
    [MPJ_OPERATION_ALLREDUCE] = check_reduction_with_result,
    [MPJ_OPERATION_REDUCE_SCATTER] = check_reduce_scatter,
    [MPJ_OPERATION_SCAN] = check_reduction_with_result,
    [MPJ_OPERATION_EXSCAN] = check_exscan};

static bool is_dense(const struct mpj_type *type)
{
  MPJ_Aint start;
  const struct mpj_view view = mpj_type_view(type);
  return mpj_view_dense(&view, &start);
}

/* What the rules go by for such data, cut at whole units of it; and what this rank's buffers are
 * like. */
static void describe(struct mpj_prepared *p)
{
  const struct mpj_call *call = &p->call;
  p->choice.agreed.bytes = p->data->map.layout->signature.bytes;
  p->choice.agreed.cuttable = call->unit > 0;
  if (call->sendbuf == MPJ_IN_PLACE)
    p->choice.local |= MPJ_VARIANT_IN_PLACE;
  else if (call->sendtype && is_dense(call->sendtype))
    p->choice.local |= MPJ_VARIANT_SEND_DENSE;
  if (call->recvtype && is_dense(call->recvtype)) p->choice.local |= MPJ_VARIANT_RECV_DENSE;
}

static bool commutes(const struct mpj_call *call)
{
  return call->op ? call->op->commutative : call->reduce != 1 + MPJ_REDUCE_REPLACE;
}

int mpj_prepare(const struct mpj_arguments *a, struct mpj_prepared *p)
{
  *p = (struct mpj_prepared){
      .choice = {.agreed.operation = a->operation, .root = a->root},
      .call = {.sendbuf = (void *)(uintptr_t)a->sendbuf, .recvbuf = a->recvbuf},
      .status = a->refused};
  struct mpj_context *context = mpj_hold(mpj_context_current());
  const int status = mpj_comm_resolve(a->comm, &p->comm);
  if (status != MPJ_SUCCESS) {
    mpj_let_go(context);
    return status;
  }
  const bool rooted = a->operation == MPJ_OPERATION_BCAST || a->operation == MPJ_OPERATION_GATHER ||
                      a->operation == MPJ_OPERATION_SCATTER || a->operation == MPJ_OPERATION_REDUCE;
  if (rooted && p->status == MPJ_SUCCESS) p->status = mpj_check_root(p->comm, a->root);
  if (p->status == MPJ_SUCCESS) p->status = checks[a->operation](a, p);
  if (p->status == MPJ_SUCCESS && a->operation >= MPJ_OPERATION_REDUCE)
    p->choice.agreed.ordered = !commutes(&p->call);
  if (p->status == MPJ_SUCCESS && p->data) describe(p);
  return MPJ_SUCCESS;
}
