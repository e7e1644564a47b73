/* This file describes calls in records, and compares those of all ranks. */
#include "coll/check/compare.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "coll/op/op.h"

size_t mpj_said_bytes(int size)
{
  return sizeof(struct mpj_said) + 2 * (size_t)size * sizeof(struct mpj_data_record);
}

/* Filling in */

static const struct mpj_data_record nothing = {-1, 0};

static struct mpj_data_record data_of(const struct mpj_signature *signature)
{
  return (struct mpj_data_record){signature->bytes, mpj_signature_digest(signature)};
}

static struct mpj_data_record data_of_type(const struct mpj_type *type)
{
  return type ? data_of(&type->map.layout->signature) : nothing;
}

static int fill_parts(const struct mpj_type *type, int size, struct mpj_data_record parts[])
{
  for (int i = 0; i < size; i++) {
    struct mpj_view view;
    const int status = mpj_type_part_view(type, i, &view);
    if (status != MPJ_SUCCESS) return status;
    const struct mpj_signature signature = mpj_view_signature(&view);
    parts[i] = data_of(&signature);
  }
  return MPJ_SUCCESS;
}

/* Alltoall in place sends what it receives; Allgather in place gives its own part. */
static void fill_in_place(struct mpj_said *said, int rank, int size)
{
  struct mpj_data_record *received = said->parts + size;
  if (said->operation == MPJ_OPERATION_ALLTOALL)
    memcpy(said->parts, received, (size_t)size * sizeof *received);
  if (said->operation == MPJ_OPERATION_ALLGATHER) said->whole = received[rank];
}

/* Whether the operation takes its send (receive) buffer by parts on this rank. */
static bool sends_parts(const struct mpj_said *said, int rank)
{
  return said->operation == MPJ_OPERATION_ALLTOALL ||
         said->operation == MPJ_OPERATION_REDUCE_SCATTER ||
         (said->operation == MPJ_OPERATION_SCATTER && said->root == rank);
}

static bool receives_parts(const struct mpj_said *said, int rank)
{
  return said->operation == MPJ_OPERATION_ALLTOALL || said->operation == MPJ_OPERATION_ALLGATHER ||
         (said->operation == MPJ_OPERATION_GATHER && said->root == rank);
}

int mpj_said_fill(struct mpj_said *said, const struct mpj_choice *choice,
                  const struct mpj_call *call, int rank, int size)
{
  int status = MPJ_SUCCESS;
  memset(said, 0, mpj_said_bytes(size));
  said->operation = (int16_t)choice->agreed.operation;
  said->root = choice->root;
  for (int i = 0; i < 2 * size; i++)
    said->parts[i] = nothing;
  said->op.reduce = call->reduce;
  if (call->op) mpj_op_record_fill(&said->op, call->op);
  const bool out = sends_parts(said, rank), in = receives_parts(said, rank);
  said->received = out || !call->sendtype;
  said->whole = data_of_type(!said->received ? call->sendtype : in ? NULL : call->recvtype);
  if (out && call->sendtype) status = fill_parts(call->sendtype, size, said->parts);
  if (status == MPJ_SUCCESS && in) status = fill_parts(call->recvtype, size, said->parts + size);
  if (in && call->sendbuf == MPJ_IN_PLACE) fill_in_place(said, rank, size);
  return status;
}

/* Comparing */

static const char *called_name(const struct mpj_said *said)
{
  return mpj_call_name((unsigned)said->operation, said->root);
}

/* A root that is none may say that the operation is a part of another function's call. */
static int compare_operations(const struct mpj_records *r, int other)
{
  const struct mpj_said *a = mpj_record_of(r, r->rank), *b = mpj_record_of(r, other);
  const bool parts_of_one = a->root == b->root || (a->root >= 0 && b->root >= 0);
  if (a->operation == b->operation && a->init == b->init && parts_of_one) return MPJ_SUCCESS;
  const char *const sparse[] = {a->root == MPJ_SPARSE_ALLTOALL ? " of sparse types" : "",
                                b->root == MPJ_SPARSE_ALLTOALL ? " of sparse types" : ""};
  return mpj_error(MPJ_ERR_COMM, "operation %llu is %s%s%s on rank %d, but %s%s%s on rank %d",
                   (unsigned long long)r->number, called_name(a), a->init ? "_init" : "", sparse[0],
                   r->rank, called_name(b), b->init ? "_init" : "", sparse[1], other);
}

static int compare_roots(const struct mpj_records *r, int other)
{
  const struct mpj_said *a = mpj_record_of(r, r->rank), *b = mpj_record_of(r, other);
  if (a->root == b->root) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ROOT, "%s on rank %d: root is %d on rank %d, but %d on rank %d",
                   called_name(a), r->rank, a->root, r->rank, b->root, other);
}

static bool is_same(struct mpj_data_record a, struct mpj_data_record b)
{
  return a.bytes < 0 || b.bytes < 0 || (a.bytes == b.bytes && a.digest == b.digest);
}

static int compare_ops(const struct mpj_records *r, int other)
{
  const struct mpj_said *a = mpj_record_of(r, r->rank), *b = mpj_record_of(r, other);
  const char *difference = mpj_op_record_difference(&a->op, &b->op);
  if (!difference) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_OP, "%s on rank %d: op is %s on rank %d, but %s%s on rank %d",
                   called_name(a), r->rank, mpj_op_name(a->op.reduce - 1), r->rank,
                   mpj_op_name(b->op.reduce - 1), difference, other);
}

/* Run a comparison of this rank with each of the others. If any two ranks differ, then
 * this one and another do. */
static int with_all(const struct mpj_records *r, int (*compare)(const struct mpj_records *, int))
{
  int status = MPJ_SUCCESS;
  for (int other = 0; other < r->size && status == MPJ_SUCCESS; other++)
    status = compare(r, other);
  return status;
}

/* Data */

struct mpj_data_record mpj_side_data(const struct mpj_records *r, struct mpj_side s)
{
  const struct mpj_said *said = mpj_record_of(r, s.rank);
  if (s.part == MPJ_SIDE_WHOLE) return said->whole;
  return said->parts[s.part + (s.received ? r->size : 0)];
}

/* Whether two sides differ: then these are they, this rank's last. */
static bool sides_differ(const struct mpj_records *r, struct mpj_side a, struct mpj_side b,
                         struct mpj_side differ[2])
{
  if (is_same(mpj_side_data(r, a), mpj_side_data(r, b))) return false;
  differ[0] = a.rank == r->rank ? b : a;
  differ[1] = a.rank == r->rank ? a : b;
  return true;
}

/* What goes from rank a to rank b, at either end. */
static bool flow_differs(const struct mpj_records *r, int a, int b, struct mpj_side differ[2])
{
  const struct mpj_side whole = {a, MPJ_SIDE_WHOLE, false}, other = {b, MPJ_SIDE_WHOLE, false};
  const struct mpj_side received = {b, a, true}, sent = {a, b, false};
  const struct mpj_said *said = mpj_record_of(r, a);
  switch (said->operation) {
  case MPJ_OPERATION_GATHER:
    return b == said->root && sides_differ(r, whole, received, differ);
  case MPJ_OPERATION_SCATTER:
    return a == said->root && sides_differ(r, sent, other, differ);
  case MPJ_OPERATION_ALLGATHER:
    return sides_differ(r, whole, received, differ);
  case MPJ_OPERATION_ALLTOALL:
    return sides_differ(r, sent, received, differ);
  default:
    return sides_differ(r, whole, other, differ);
  }
}

static bool pair_differs(const struct mpj_records *r, int a, int b, struct mpj_side differ[2])
{
  if (mpj_record_of(r, a)->operation != MPJ_OPERATION_REDUCE_SCATTER)
    return flow_differs(r, a, b, differ) || flow_differs(r, b, a, differ);
  for (int i = 0; i < r->size; i++)
    if (sides_differ(r, (struct mpj_side){a, i, false}, (struct mpj_side){b, i, false}, differ))
      return true;
  return false;
}

/* This rank's pairs first: if they are well, another's may not be. */
bool mpj_said_differ(const struct mpj_records *r, struct mpj_side differ[2])
{
  for (int other = 0; other < r->size; other++)
    if (pair_differs(r, r->rank, other, differ)) return true;
  for (int a = 0; a < r->size; a++)
    for (int b = a; b < r->size; b++)
      if (pair_differs(r, a, b, differ)) return true;
  return false;
}

int mpj_said_compare(const struct mpj_records *r)
{
  struct mpj_side differ[2];
  int status = with_all(r, compare_operations);
  if (status == MPJ_SUCCESS) status = with_all(r, compare_roots);
  if (status == MPJ_SUCCESS) status = with_all(r, compare_ops);
  return status == MPJ_SUCCESS && mpj_said_differ(r, differ) ? MPJ_ERR_SIGNATURE : status;
}
