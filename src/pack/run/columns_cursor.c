/* This file copies between cursors of which one is at columns and the other at rows of a matrix. */
#include "pack/kernels/transpose.h"
#include "pack/run/address.h"
#include "pack/run/columns.h"
#include "pack/run/cursor.h"

/* Whether the cursor is at the start of one of columns of blocks of `stride` bytes. */
static bool is_columns(const struct mpj_cursor *c)
{
  if (c->program->kind != MPJ_PROGRAM_LOOP || c->offset % c->program->bytes != 0) return false;
  const struct mpj_program *unit = c->program->u.loop.child;
  return unit->kind == MPJ_PROGRAM_DENSE && unit->bytes == c->stride &&
         mpj_transpose_of(unit->bytes);
}

/* Whether it is at the start of one of dense rows as long as `columns` are. */
static bool is_rows_of(const struct mpj_cursor *c, const struct mpj_cursor *columns)
{
  return c->program->kind == MPJ_PROGRAM_DENSE && c->program->bytes == columns->program->bytes &&
         c->offset % c->program->bytes == 0;
}

/* Where the cursor's row or column begins. */
static char *place_of(const struct mpj_cursor *c)
{
  return mpj_at(c->origin, c->offset / c->program->bytes * c->stride);
}

bool mpj_columns_copy(struct mpj_cursor *dst, struct mpj_cursor *src, MPJ_Count bytes)
{
  const bool stream = src->bytes >= MPJ_COLUMNS_STREAM_BYTES;
  const MPJ_Count n = bytes / src->program->bytes;
  if (n < 2 || bytes % src->program->bytes != 0) return false;
  if (is_columns(src) && is_rows_of(dst, src)) {
    const struct mpj_program *column = src->program;
    mpj_transpose_of(src->stride)(place_of(dst), dst->stride, place_of(src), column->u.loop.stride,
                                  column->u.loop.count, n, stream);
  } else if (is_columns(dst) && is_rows_of(src, dst)) {
    const struct mpj_program *column = dst->program;
    const MPJ_Aint apart = column->u.loop.stride;
    if ((apart < 0 ? -apart : apart) < dst->count * dst->stride) return false;
    mpj_transpose_of(dst->stride)(place_of(dst), apart, place_of(src), src->stride, n,
                                  column->u.loop.count, stream);
  } else {
    return false;
  }
  dst->offset += bytes;
  src->offset += bytes;
  return true;
}

bool mpj_cursor_columns(const struct mpj_cursor *c, struct mpj_columns *columns)
{
  if (!c->program || !is_columns(c) || c->count < 2) return false;
  *columns = (struct mpj_columns){.unit = c->stride,
                                  .count = c->program->u.loop.count,
                                  .rows = {c->count * c->stride, c->program->u.loop.stride}};
  return columns->rows.stride >= columns->rows.row;
}

bool mpj_cursor_takes_columns(const struct mpj_cursor *c, const struct mpj_columns *columns)
{
  struct mpj_rows to;
  if (!mpj_cursor_rows(c, &to)) return false;
  return to.row == 0 || (to.row == columns->unit * columns->count && to.stride >= to.row);
}

void mpj_cursor_take_tile(const struct mpj_cursor *c, const struct mpj_columns *columns,
                          MPJ_Count first, MPJ_Count height, MPJ_Count at, MPJ_Count width,
                          const char *from, MPJ_Aint pitch)
{
  const MPJ_Count unit = columns->unit;
  const MPJ_Aint apart = c->program ? c->stride : unit * columns->count;
  char *to = mpj_at(c->origin, at / unit * apart + first * unit);
  mpj_transpose_of(unit)(to, apart, from, pitch, height, width / unit,
                         c->bytes >= MPJ_COLUMNS_STREAM_BYTES);
}
