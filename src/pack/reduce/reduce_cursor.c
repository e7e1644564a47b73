/* This file unpacks and reduces: a packed stream is combined into a layout by a
 * predefined operation.
 *
 * Where the layout's data is all of one basic type, its copy program runs the
 * operation as it would run a copy; else each run is combined by its own type. */
#include "pack/run/cursor.h"

#include <stdalign.h>

#include "base/status.h"
#include "pack/program/compile.h"
#include "pack/program/program.h"
#include "pack/reduce/reduce_spread.h"
#include "pack/run/address.h"
#include "pack/run/exec.h"
#include "pack/run/exec_run.h"
#include "types/basic.h"

static void combine(void *ctx, const void *in, void *inout, MPJ_Count n, int basic)
{
  const enum mpj_reduce_op *op = ctx;
  mpj_reduce_kernel_of(*op, basic)(in, inout, n);
}

static bool applies(const struct mpj_program *typed, enum mpj_reduce_op op);

static bool applies_to_pieces(const struct mpj_program *seq, enum mpj_reduce_op op)
{
  for (MPJ_Count i = 0; i < seq->u.seq.nshapes; i++)
    if (!applies(seq->u.seq.shapes[i], op)) return false;
  for (MPJ_Count i = 0; !seq->u.seq.shapes && i < seq->u.seq.npieces; i++) {
    const struct mpj_program_item item = mpj_program_item(seq, i);
    if (!(item.program ? applies(item.program, op) : mpj_reduce_number(op, item.basic) >= 0))
      return false;
  }
  return true;
}

/* Whether the operation applies to every type in the program. */
static bool applies(const struct mpj_program *typed, enum mpj_reduce_op op)
{
  if (op == MPJ_REDUCE_REPLACE) return true;
  if (typed->basic >= 0) return mpj_reduce_number(op, typed->basic) >= 0;
  switch (typed->kind) {
  case MPJ_PROGRAM_LOOP:
    return applies(typed->u.loop.child, op);
  case MPJ_PROGRAM_INDEX:
    return applies(typed->u.index.child, op);
  case MPJ_PROGRAM_SEQ:
    return applies_to_pieces(typed, op);
  case MPJ_PROGRAM_DENSE:
    break;
  }
  return true;
}

static void reduce_alike(struct mpj_cursor *c, const struct mpj_program *typed,
                         const struct mpj_moves *moves, const void *packed, MPJ_Count bytes)
{
  char *mem = mpj_at(c->base, c->view.displ);
  if (bytes == typed->bytes && c->view.count == 1) {
    mpj_exec_whole(moves, typed, mem, (char *)packed);
  } else {
    struct mpj_exec x = {moves, false, bytes};
    mpj_exec(&x, typed, c->view.count, c->view.stride, mem, mpj_at(packed, -c->offset), c->offset,
             c->offset + bytes);
  }
  c->offset += bytes;
}

/* The last byte of a typed program's stream, at most `offset` < p->bytes, that
 * begins an element. */
static MPJ_Count element_before(const struct mpj_program *p, MPJ_Count offset)
{
  MPJ_Count start = 0;
  int basic = p->basic;
  while (basic < 0) {
    MPJ_Count inside = offset - start;
    if (p->kind == MPJ_PROGRAM_SEQ) {
      MPJ_Count before, i = mpj_program_find_piece(p, inside, &before);
      const struct mpj_program_item item = mpj_program_item(p, i);
      start += before;
      basic = item.basic;
      if (!item.program) break;
      p = item.program;
    } else {
      p = p->kind == MPJ_PROGRAM_LOOP ? p->u.loop.child : p->u.index.child;
      start += inside / p->bytes * p->bytes;
    }
    basic = p->basic;
  }
  return offset - (offset - start) % mpj_basics[basic].size;
}

enum { BUFFER = 4096 }; /* bytes, of which a piece is at most one element short */

/* The length of the next piece of at most BUFFER bytes that ends between elements. */
static MPJ_Count next_piece(const struct mpj_program *typed, MPJ_Count offset, MPJ_Count bytes)
{
  if (bytes <= BUFFER) return bytes;
  MPJ_Count end = offset + BUFFER, copy = end / typed->bytes * typed->bytes;
  return copy + element_before(typed, end - copy) - offset;
}

int mpj_cursor_reduce_copy(struct mpj_cursor *dst, struct mpj_cursor *src, MPJ_Count bytes,
                           enum mpj_reduce_op op)
{
  alignas(MPJ_BASIC_ALIGN_MAX) char buffer[BUFFER];
  const struct mpj_program *typed;
  int status = mpj_program_typed_of(dst->view.layout, &typed);
  for (MPJ_Count n; bytes > 0 && status == MPJ_SUCCESS; bytes -= n) {
    n = next_piece(typed, dst->offset, bytes);
    MPJ_Count place = src->offset;
    mpj_cursor_pack(src, buffer, n);
    status = mpj_cursor_reduce(dst, buffer, n, op);
    if (status) mpj_cursor_seek(src, place);
  }
  return status;
}

int mpj_cursor_reduce(struct mpj_cursor *c, const void *packed, MPJ_Count bytes,
                      enum mpj_reduce_op op)
{
  assert(0 <= bytes && bytes <= mpj_cursor_remaining(c));
  if (bytes == 0) return MPJ_SUCCESS;
  const struct mpj_program *typed;
  int status = mpj_program_typed_of(c->view.layout, &typed);
  if (status) return status;
  const struct mpj_moves *moves = typed->basic >= 0 ? mpj_reduce_moves(op, typed->basic) : NULL;
  if (!moves && !applies(typed, op))
    return mpj_error(MPJ_ERR_OP, "operation %d does not apply to every basic type of the layout",
                     (int)op);
  /* Sizes are powers of two. */
  if (!moves || ((c->offset | bytes) & (mpj_basics[typed->basic].size - 1)) != 0)
    return mpj_cursor_combine(c, packed, bytes, combine, &op);
  reduce_alike(c, typed, moves, packed, bytes);
  return MPJ_SUCCESS;
}
