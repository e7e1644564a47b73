/* This file checks the arguments of the collectives, by the table of operations. */
#include "coll/calls/checks.h"

#include <stdio.h>

#include "base/config/config.h"
#include "base/status.h"
#include "pack/run/address.h"
#include "pack/run/overlap.h"
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

/* Exscan's first rank gets none. */
static bool has_result(const struct mpj_arguments *a, const struct mpj_comm *comm)
{
  return a->operation != MPJ_OPERATION_EXSCAN || comm->rank > 0;
}

/* recvbuf may be NULL where it neither gets a result nor gives the input. */
static int check_side(const struct mpj_arguments *a, enum mpj_call_side side,
                      struct mpj_prepared *p)
{
  const struct mpj_operation_row *row = &mpj_operation_rows[a->operation];
  struct mpj_call *call = &p->call;
  const bool sends = side == MPJ_SEND, alone = row->used[MPJ_SEND] == MPJ_USED_NOT;
  const struct mpj_type **type = sends ? &call->sendtype : &call->recvtype;
  const MPJ_Datatype handle = sends ? a->sendtype : a->recvtype;
  const char *argument = sends ? "sendtype" : alone ? "type" : "recvtype";
  const void *buf = sends ? call->sendbuf : call->recvbuf;
  const int status = row->used[side] == MPJ_USED_PARTS
                         ? check_parts(p->comm, handle, argument, type)
                         : mpj_type_committed(handle, argument, type);
  const bool needed = sends || has_result(a, p->comm) || a->sendbuf == MPJ_IN_PLACE;
  if (status != MPJ_SUCCESS || (!buf && !needed)) return status;
  return check_buffer(buf, *type, sends ? "send" : alone ? "" : "recv");
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
  p->own.agreed.sparse = true;
  p->own.root = MPJ_SPARSE_ALLTOALL;
  for (int k = 0; k < 2; k++)
    if (sparse[k]) p->own.lists[k] = &sparse[k]->filled;
  return MPJ_SUCCESS;
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

/* One side against the other, where both are here: neither overwrites the other, and the output of
 * a reduction has the input's signature. */
static int check_sides(const struct mpj_arguments *a, const struct mpj_prepared *p)
{
  const struct mpj_operation_row *row = &mpj_operation_rows[a->operation];
  const bool by_parts = row->used[MPJ_SEND] == MPJ_USED_PARTS;
  const bool apart = row->has_op ? has_result(a, p->comm) : a->operation == MPJ_OPERATION_ALLTOALL;
  int status = MPJ_SUCCESS;
  if (row->has_op && !by_parts) status = check_equal(&p->call);
  if (status == MPJ_SUCCESS && apart && a->sendbuf != MPJ_IN_PLACE) status = check_apart(&p->call);
  if (status == MPJ_SUCCESS && row->has_op && by_parts) status = check_own_part(p->comm, &p->call);
  return status;
}

/* Temporaries hold any rank's part where the input is one of parts. */
static int prepare_op(const struct mpj_op *op, bool by_parts, struct mpj_call *call)
{
  const bool sends = !call->recvtype;
  const int status = mpj_op_prepare(op, sends ? call->sendtype : call->recvtype,
                                    sends ? "sendtype" : "recvtype", call);
  if (status != MPJ_SUCCESS || !by_parts) return status;
  call->temp = NULL;
  call->unit = 0;
  return mpj_op_prepare(op, call->sendtype, "sendtype", call);
}

/* The row. Of two sides the last may be in place, and is not looked at then; but the input of
 * Reduce_scatter, which then is recvbuf through sendtype. */
static int check(const struct mpj_arguments *a, struct mpj_prepared *p)
{
  const struct mpj_operation_row *row = &mpj_operation_rows[a->operation];
  struct mpj_call *call = &p->call;
  const struct mpj_op *op = NULL;
  const bool all = row->only_root == MPJ_NO_SIDE, both = all || p->comm->rank == a->root;
  const enum mpj_call_side last = row->only_root == MPJ_SEND ? MPJ_RECV : MPJ_SEND;
  const enum mpj_call_side first = last == MPJ_SEND ? MPJ_RECV : MPJ_SEND;
  const bool in_place = both && (last == MPJ_SEND ? a->sendbuf : a->recvbuf) == MPJ_IN_PLACE;
  const bool by_parts = row->has_op && row->used[MPJ_SEND] == MPJ_USED_PARTS;
  const bool looks = row->used[last] != MPJ_USED_NOT && (!in_place || by_parts);
  if (in_place && by_parts) call->sendbuf = a->recvbuf;
  if (in_place && (all || row->has_op)) p->own.local = MPJ_VARIANT_IN_PLACE;
  if (a->operation == MPJ_OPERATION_BCAST) call->unit = 1;
  int status = row->has_op ? mpj_op_resolve(a->op, &op) : MPJ_SUCCESS;
  if (status == MPJ_SUCCESS && both && row->used[first] != MPJ_USED_NOT)
    status = check_side(a, first, p);
  if (status == MPJ_SUCCESS && looks) status = check_side(a, last, p);
  if (status == MPJ_SUCCESS && looks && both) status = check_sides(a, p);
  if (status == MPJ_SUCCESS && row->has_op) status = prepare_op(op, by_parts, call);
  if (status == MPJ_SUCCESS && a->operation == MPJ_OPERATION_ALLTOALL) status = check_sparse(p);
  return status;
}

static bool is_dense(const struct mpj_type *type)
{
  MPJ_Aint start;
  const struct mpj_view view = mpj_type_view(type);
  return mpj_view_dense(&view, &start);
}

/* What the rules go by where all ranks share the size, of data cut at whole units of it; and what
 * this rank's buffers are like. */
static void describe(struct mpj_prepared *p)
{
  const struct mpj_call *call = &p->call;
  const bool by_parts =
      mpj_operation_rows[p->own.agreed.operation].used[MPJ_SEND] == MPJ_USED_PARTS;
  const struct mpj_type *data = call->recvtype && !by_parts ? call->recvtype : call->sendtype;
  p->own.agreed.bytes = data->map.layout->signature.bytes;
  p->own.agreed.cuttable = call->unit > 0;
  if (call->sendtype && is_dense(call->sendtype)) p->own.local |= MPJ_VARIANT_SEND_DENSE;
  if (call->recvtype && is_dense(call->recvtype)) p->own.local |= MPJ_VARIANT_RECV_DENSE;
}

static bool commutes(const struct mpj_call *call)
{
  return call->op ? call->op->commutative : call->reduce != 1 + MPJ_REDUCE_REPLACE;
}

/* Whether this rank receives into recvtype what is not combined with what is there. */
static bool only_receives(const struct mpj_comm *comm, const struct mpj_choice *choice)
{
  const enum mpj_operation operation = choice->agreed.operation;
  return !mpj_operation_rows[operation].has_op &&
         (operation != MPJ_OPERATION_BCAST || comm->rank != choice->root);
}

/* In checking mode: a receive type may not overlap itself. */
static int check_receive(const struct mpj_prepared *p)
{
  const struct mpj_type *type = p->call.recvtype;
  const bool bcast = p->own.agreed.operation == MPJ_OPERATION_BCAST;
  struct mpj_overlap overlap;
  char text[MPJ_LETTERS_SUBJECT];
  if (!mpj_config()->check || !type || !only_receives(p->comm, p->choice)) return MPJ_SUCCESS;
  const int status = mpj_layout_overlap(type->map.layout, &overlap);
  if (status != MPJ_SUCCESS || !overlap.found) return status;
  return mpj_error(MPJ_ERR_TYPE,
                   "%s receives into some memory twice: its data at displacement %td overlaps that "
                   "at displacement %td",
                   mpj_letters_argument(bcast ? "type" : "recvtype", type, text),
                   type->map.displ + overlap.second, type->map.displ + overlap.first);
}

void mpj_check_arguments(const struct mpj_arguments *a, struct mpj_prepared *p)
{
  const struct mpj_operation_row *row = &mpj_operation_rows[a->operation];
  *p = (struct mpj_prepared){.comm = p->comm,
                             .choice = &p->own,
                             .own = {.agreed.operation = a->operation, .root = a->root},
                             .call = {.sendbuf = (void *)(uintptr_t)a->sendbuf,
                                      .recvbuf = a->recvbuf,
                                      .part_of = mpj_arguments_part_of(a)},
                             .status = a->refused};
  if (row->has_root && p->status == MPJ_SUCCESS) p->status = mpj_check_root(p->comm, a->root);
  if (p->status == MPJ_SUCCESS) p->status = check(a, p);
  if (p->status != MPJ_SUCCESS) return;
  if (row->has_op) p->own.agreed.ordered = !commutes(&p->call);
  if (mpj_operation_goes_by_size(a->operation)) describe(p);
  p->status = check_receive(p);
}
