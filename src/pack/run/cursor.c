/* This file implements how a cursor begins, packs and unpacks. */
#include "pack/run/cursor.h"

#include <string.h>

#include "pack/kernels/kernels_choose.h"
#include "pack/program/compile.h"
#include "pack/program/program.h"
#include "pack/run/address.h"
#include "pack/run/exec.h"
#include "pack/run/exec_run.h"

/* Fold the view's copies into the program's outermost loop. */
static void fold(struct mpj_cursor *c, const struct mpj_program *p)
{
  if (p->kind == MPJ_PROGRAM_DENSE && (c->count == 1 || c->stride == p->bytes)) {
    c->program = NULL;
    return;
  }
  c->program = p;
  if (c->count != 1 && !mpj_program_continues(p, c->stride)) return;
  if (p->kind != MPJ_PROGRAM_LOOP) return;
  c->program = p->u.loop.child;
  c->count *= p->u.loop.count;
  c->stride = p->u.loop.stride;
}

static int begin_program(struct mpj_cursor *c)
{
  const struct mpj_program *program;
  int status = mpj_program_of(c->view.layout, &program);
  if (status) return status;
  c->origin = mpj_at(c->base, c->view.displ);
  c->count = c->view.count;
  c->stride = c->view.stride;
  fold(c, program);
  return MPJ_SUCCESS;
}

int mpj_cursor_begin(struct mpj_cursor *c, const struct mpj_view *view, void *base)
{
  c->view = *view;
  c->base = base;
  c->offset = 0;
  c->bytes = mpj_view_bytes(view);
  c->program = NULL;
  MPJ_Aint start;
  if (!mpj_view_dense(view, &start)) return begin_program(c);
  c->origin = mpj_at(base, start);
  return MPJ_SUCCESS;
}

bool mpj_cursor_rows(const struct mpj_cursor *c, struct mpj_rows *rows)
{
  *rows = (struct mpj_rows){0, 0};
  if (!c->program) return true;
  if (c->program->kind != MPJ_PROGRAM_DENSE) return false;
  *rows = (struct mpj_rows){c->program->bytes, c->stride};
  return true;
}

/* Move the next `bytes` bytes between the layout and the packed stream. */
static void move(struct mpj_cursor *c, const struct mpj_moves *moves, char *packed, MPJ_Count bytes)
{
  struct mpj_exec x = {moves, false, bytes};
  mpj_exec(&x, c->program, c->count, c->stride, c->origin, mpj_at(packed, -c->offset), c->offset,
           c->offset + bytes);
}

void mpj_cursor_pack(struct mpj_cursor *c, void *packed, MPJ_Count bytes)
{
  assert(0 <= bytes && bytes <= mpj_cursor_remaining(c));
  if (bytes == 0) return;
  if (!c->program)
    memcpy(packed, mpj_at(c->origin, c->offset), (size_t)bytes);
  else
    move(c, &mpj_kernels()->pack, packed, bytes);
  c->offset += bytes;
}

void mpj_cursor_unpack(struct mpj_cursor *c, const void *packed, MPJ_Count bytes)
{
  assert(0 <= bytes && bytes <= mpj_cursor_remaining(c));
  if (bytes == 0) return;
  if (!c->program)
    memcpy(mpj_at(c->origin, c->offset), packed, (size_t)bytes);
  else
    move(c, &mpj_kernels()->unpack, (char *)packed, bytes);
  c->offset += bytes;
}
