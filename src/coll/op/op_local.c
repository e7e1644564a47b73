/* This file applies operations to a rank's own memory, without a communicator. */
#include "base/entry.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "base/status.h"
#include "coll/op/op.h"
#include "pack/operand.h"

enum { CHUNK_BYTES = 65536, SCRATCH_KEPT = 1 << 18 };

/* Resolve `op` and check that it applies to `type`, which was resolved. */
static int resolve_op(MPJ_Op op, MPJ_Datatype type, const struct mpj_op **found)
{
  struct mpj_type *object;
  struct mpj_call call = {0};
  int status = mpj_op_resolve(op, found);
  if (status == MPJ_SUCCESS) status = mpj_type_resolve_committed(type, "type", &object);
  return status == MPJ_SUCCESS ? mpj_op_prepare(*found, object, "type", &call) : status;
}

/* A user's operation takes elements from a packed stream, whole ones, a chunk at a time. */
static int combine_chunks(const struct mpj_op *op, struct mpj_cursor *in, struct mpj_cursor *inout,
                          MPJ_Count bytes)
{
  const MPJ_Count element = op->element.layout->signature.bytes;
  const MPJ_Count most = element < CHUNK_BYTES ? CHUNK_BYTES / element * element : element;
  struct mpj_scratch scratch;
  char *packed = mpj_alloc((size_t)(most < bytes ? most : bytes));
  int status = MPJ_SUCCESS;
  if (!packed)
    return mpj_error(MPJ_ERR_NO_MEM, "%" PRId64 " bytes to apply op to could not be allocated",
                     most);
  mpj_scratch_begin(&scratch, SCRATCH_KEPT);
  for (MPJ_Count now; bytes > 0 && status == MPJ_SUCCESS; bytes -= now) {
    now = most < bytes ? most : bytes;
    mpj_cursor_pack(in, packed, now);
    status = mpj_op_combine(op, inout, packed, now, &scratch);
  }
  mpj_scratch_end(&scratch);
  mpj_free(packed);
  return status;
}

static int reduce(const struct mpj_op *op, const struct mpj_typed_buffer *in,
                  const struct mpj_typed_buffer *inout)
{
  struct mpj_cursor from, to;
  int status = mpj_cursor_begin(&from, &in->view, in->base);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_cursor_begin(&to, &inout->view, inout->base);
  if (status == MPJ_SUCCESS) {
    if (op->predefined < 0)
      status = combine_chunks(op, &from, &to, in->bytes);
    else
      status = mpj_cursor_reduce_copy(&to, &from, in->bytes, (enum mpj_reduce_op)op->predefined);
    mpj_cursor_end(&to);
  }
  mpj_cursor_end(&from);
  return status;
}

int MPJ_Reduce_local(const void *in, void *inout, MPJ_Datatype type, MPJ_Op op)
{
  MPJ_ENTRY;
  struct mpj_typed_buffer from, to;
  const struct mpj_op *found = NULL;
  int status = mpj_typed_buffer_resolve(&from, "in", in, "type", type);
  if (status == MPJ_SUCCESS) status = mpj_typed_buffer_resolve(&to, "inout", inout, "type", type);
  if (status == MPJ_SUCCESS) status = resolve_op(op, type, &found);
  if (status != MPJ_SUCCESS || from.bytes == 0) return status;
  if (in == inout) return mpj_error(MPJ_ERR_ARG, "in and inout are the same address, %p", inout);
  return reduce(found, &from, &to);
}

/* The bytes [at, at + bytes) of the view := packed (op) what is there. */
static int unpack_range(const void *packed, MPJ_Count bytes, const struct mpj_typed_buffer *o,
                        MPJ_Count at, const struct mpj_op *op)
{
  struct mpj_cursor to;
  struct mpj_scratch scratch;
  int status = mpj_cursor_begin(&to, &o->view, o->base);
  if (status != MPJ_SUCCESS) return status;
  mpj_cursor_seek(&to, at);
  mpj_scratch_begin(&scratch, SCRATCH_KEPT);
  status = op->predefined < 0
               ? mpj_op_combine(op, &to, packed, bytes, &scratch)
               : mpj_cursor_reduce(&to, packed, bytes, (enum mpj_reduce_op)op->predefined);
  mpj_scratch_end(&scratch);
  mpj_cursor_end(&to);
  return status;
}

int mpj_op_unpack_range(const void *packed, MPJ_Count bytes, void *buf, MPJ_Datatype type,
                        MPJ_Count at, MPJ_Op op)
{
  struct mpj_typed_buffer o;
  const struct mpj_op *found = NULL;
  int status = mpj_typed_buffer_resolve(&o, "buf", buf, "type", type);
  if (status == MPJ_SUCCESS) status = resolve_op(op, type, &found);
  return status || bytes == 0 ? status : unpack_range(packed, bytes, &o, at, found);
}

int MPJ_Unpack_reduce(const void *packed, MPJ_Count size, MPJ_Count *position, void *buf,
                      MPJ_Datatype type, MPJ_Op op)
{
  MPJ_ENTRY;
  struct mpj_typed_buffer o;
  const struct mpj_op *found = NULL;
  int status = mpj_typed_buffer_resolve(&o, "buf", buf, "type", type);
  if (status == MPJ_SUCCESS) status = resolve_op(op, type, &found);
  if (status == MPJ_SUCCESS) status = mpj_packed_check(packed, size, "size");
  if (status == MPJ_SUCCESS) status = mpj_position_check(position, size, o.bytes);
  if (status != MPJ_SUCCESS || o.bytes == 0) return status;
  status = unpack_range((const char *)packed + *position, o.bytes, &o, 0, found);
  if (status == MPJ_SUCCESS) *position += o.bytes;
  return status;
}
