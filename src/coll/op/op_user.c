/* This file applies a user's operation: data is brought into arrays of the
 * operation's own element layout, a chunk that stays in cache at a time. */
#include "base/entry.h"
#include "base/scratch.h"
#include "base/status.h"
#include "coll/op/op.h"

enum { CHUNK_BYTES = 32768 };

/* Scratch for `n` elements: both arrays in elemtype's layout, and a packed copy. */
struct chunk {
  MPJ_Count n; /* elements that fit */
  char *in, *inout, *packed;
};

static int begin_chunk(const struct mpj_op *op, MPJ_Count elements, struct mpj_scratch *scratch,
                       struct chunk *chunk)
{
  const struct mpj_layout *l = op->element.layout;
  const MPJ_Aint top = op->element.displ + l->true_ub;
  const MPJ_Aint span = top > op->extent ? top : op->extent; /* of one element, from its base */
  MPJ_Count n = CHUNK_BYTES / (span > 0 ? span : 1);
  if (n > elements) n = elements;
  if (n < 1) n = 1;
  const size_t bytes = (size_t)(n - 1) * (size_t)op->extent + (size_t)span;
  chunk->n = n;
  chunk->in = mpj_scratch_take(scratch, bytes);
  chunk->inout = mpj_scratch_take(scratch, bytes);
  chunk->packed = mpj_scratch_take(scratch, (size_t)(n * l->signature.bytes));
  if (chunk->in && chunk->inout && chunk->packed) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_NO_MEM, "no memory to apply an operation to %zu bytes of elements",
                   bytes);
}

static void end_chunk(struct chunk *chunk, struct mpj_scratch *scratch)
{
  mpj_scratch_give(scratch, chunk->in);
  mpj_scratch_give(scratch, chunk->inout);
  mpj_scratch_give(scratch, chunk->packed);
}

/* Move n packed elements into (or out of) an array of elements. */
static int unpack_elements(const struct mpj_op *op, const void *packed, void *array, MPJ_Count n)
{
  const struct mpj_view view = {op->element.layout, n, op->extent, op->element.displ};
  struct mpj_cursor c;
  const int status = mpj_cursor_begin(&c, &view, array);
  if (status != MPJ_SUCCESS) return status;
  mpj_cursor_unpack(&c, packed, mpj_cursor_remaining(&c));
  mpj_cursor_end(&c);
  return MPJ_SUCCESS;
}

static int pack_elements(const struct mpj_op *op, void *packed, void *array, MPJ_Count n)
{
  const struct mpj_view view = {op->element.layout, n, op->extent, op->element.displ};
  struct mpj_cursor c;
  const int status = mpj_cursor_begin(&c, &view, array);
  if (status != MPJ_SUCCESS) return status;
  mpj_cursor_pack(&c, packed, mpj_cursor_remaining(&c));
  mpj_cursor_end(&c);
  return MPJ_SUCCESS;
}

static int combine_chunk(const struct mpj_op *op, struct chunk *k, struct mpj_cursor *inout,
                         const char *packed, MPJ_Count n)
{
  const MPJ_Count bytes = n * op->element.layout->signature.bytes, at = inout->offset;
  int status = unpack_elements(op, packed, k->in, n);
  if (status != MPJ_SUCCESS) return status;
  mpj_cursor_pack(inout, k->packed, bytes);
  status = unpack_elements(op, k->packed, k->inout, n);
  if (status != MPJ_SUCCESS) return status;
  const struct mpj_entry entered = mpj_entry_suspend();
  op->fn(op->ctx, k->in, k->inout, n);
  mpj_entry_resume(&entered);
  status = pack_elements(op, k->packed, k->inout, n);
  if (status != MPJ_SUCCESS) return status;
  mpj_cursor_seek(inout, at);
  mpj_cursor_unpack(inout, k->packed, bytes);
  return MPJ_SUCCESS;
}

int mpj_op_combine(const struct mpj_op *op, struct mpj_cursor *inout, const void *packed,
                   MPJ_Count bytes, struct mpj_scratch *scratch)
{
  const MPJ_Count size = op->element.layout->signature.bytes;
  MPJ_Count elements = bytes / size;
  const char *in = packed;
  struct chunk chunk = {0};
  if (elements == 0) return MPJ_SUCCESS;
  int status = begin_chunk(op, elements, scratch, &chunk);
  while (status == MPJ_SUCCESS && elements > 0) {
    const MPJ_Count n = elements < chunk.n ? elements : chunk.n;
    status = combine_chunk(op, &chunk, inout, in, n);
    in += n * size;
    elements -= n;
  }
  end_chunk(&chunk, scratch);
  return status;
}
