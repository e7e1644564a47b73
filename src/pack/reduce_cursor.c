/* This file unpacks and reduces: a packed stream is combined into a layout by a
 * predefined operation.
 *
 * Where the layout's data is all of one basic type, its copy program runs the
 * operation as it would run a copy; else each run is combined by its own type. */
#include "pack/cursor.h"

#include "base/status.h"
#include "pack/address.h"
#include "pack/exec.h"
#include "pack/program.h"
#include "pack/reduce_spread.h"
#include "types/basic.h"

static void combine(void *ctx, const void *in, void *inout, MPJ_Count n, int basic)
{
  const enum mpj_reduce_op *op = ctx;
  mpj_reduce_kernel_of(*op, basic)(in, inout, n);
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
    for (MPJ_Count i = 0; i < typed->u.seq.npieces; i++) {
      const struct mpj_program_piece *piece = &typed->u.seq.pieces[i];
      bool does =
          piece->program ? applies(piece->program, op) : mpj_reduce_number(op, piece->basic) >= 0;
      if (!does) return false;
    }
    break;
  case MPJ_PROGRAM_DENSE:
    break;
  }
  return true;
}

static void reduce_alike(struct mpj_cursor *c, const struct mpj_program *typed, const void *packed,
                         MPJ_Count bytes, enum mpj_reduce_op op)
{
  struct mpj_moves moves;
  bool known = mpj_reduce_moves(op, typed->basic, &moves);
  assert(known);
  (void)known;
  struct mpj_exec x = {&moves, false};
  mpj_exec(&x, typed, c->view.count, c->view.stride, mpj_at(c->base, c->view.displ),
           mpj_at(packed, -c->offset), c->offset, c->offset + bytes);
  c->offset += bytes;
}

int mpj_cursor_reduce(struct mpj_cursor *c, const void *packed, MPJ_Count bytes,
                      enum mpj_reduce_op op)
{
  assert(0 <= bytes && bytes <= mpj_cursor_remaining(c));
  if (bytes == 0) return MPJ_SUCCESS;
  const struct mpj_program *typed;
  int status = mpj_program_typed_of(c->view.layout, &typed);
  if (status) return status;
  if (!applies(typed, op))
    return mpj_error(MPJ_ERR_OP, "operation %d does not apply to every basic type of the layout",
                     (int)op);
  MPJ_Count size = typed->basic >= 0 ? mpj_basics[typed->basic].size : 1;
  bool whole = c->offset % size == 0 && bytes % size == 0;
  if (typed->basic < 0 || !whole) return mpj_cursor_combine(c, packed, bytes, combine, &op);
  reduce_alike(c, typed, packed, bytes, op);
  return MPJ_SUCCESS;
}
