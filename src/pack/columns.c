/* This file packs and unpacks columns of a matrix by transposition.
 *
 * The range may begin and end inside a column. Its rows then fall into at most
 * three bands, in each of which all rows have the same columns. */
#include "pack/columns.h"

#include "pack/address.h"
#include "pack/transpose.h"

/* A result this long exceeds a core's caches, and what is written by the line in the wide strides
 * of a matrix is better not fetched first. 16 MiB, Sapphire Rapids: 6.5 GB/s, without 2.3
 * (mpj-bench pack, fft2). */
static const MPJ_Count stream_bytes = (MPJ_Count)1 << 22;

/* The matrix: block (row, column) lies at row * row_stride + column * block in
 * mem, and at column * column_bytes + row * block in the stream. */
struct matrix {
  mpj_transpose_fn *transpose;
  bool into_mem, stream;
  char *mem, *other;
  MPJ_Aint row_stride;
  MPJ_Count column_bytes, block;
};

static void move_band(const struct matrix *m, MPJ_Count row, MPJ_Count end_row, MPJ_Count column,
                      MPJ_Count end_column)
{
  MPJ_Count rows = end_row - row, columns = end_column - column;
  if (rows <= 0 || columns <= 0) return;
  char *mem = mpj_at(m->mem, row * m->row_stride + column * m->block);
  char *other = mpj_at(m->other, column * m->column_bytes + row * m->block);
  if (m->into_mem)
    m->transpose(mem, m->row_stride, other, m->column_bytes, columns, rows, m->stream);
  else
    m->transpose(other, m->column_bytes, mem, m->row_stride, rows, columns, m->stream);
}

bool mpj_columns_move(const struct mpj_exec *x, const struct mpj_program *child, char *mem,
                      char *other, MPJ_Count n, MPJ_Count from, MPJ_Count to)
{
  struct matrix m = {.into_mem = x->moves->into_mem,
                     .stream = to - from >= stream_bytes,
                     .mem = mem,
                     .other = other,
                     .row_stride = child->u.loop.stride,
                     .column_bytes = child->bytes,
                     .block = child->u.loop.child->bytes};
  if (to - from <= m.column_bytes || from % m.block || to % m.block) return false;
  MPJ_Aint distance = m.row_stride < 0 ? -m.row_stride : m.row_stride;
  if (m.into_mem && distance < n * m.block) return false;
  m.transpose = mpj_transpose_of(m.block);
  MPJ_Count first = from / m.column_bytes, first_row = from % m.column_bytes / m.block;
  MPJ_Count last = to / m.column_bytes, last_row = to % m.column_bytes / m.block;
  MPJ_Count low = first_row < last_row ? first_row : last_row;
  MPJ_Count high = first_row < last_row ? last_row : first_row;
  /* Row r has the columns from first on if r >= first_row, through last if r < last_row. */
  move_band(&m, 0, low, first + 1, last + 1);
  move_band(&m, low, high, first_row <= low ? first : first + 1,
            last_row >= high ? last + 1 : last);
  move_band(&m, high, child->u.loop.count, first, last);
  return true;
}

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
  const bool stream = src->bytes >= stream_bytes;
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
  mpj_transpose_of(unit)(to, apart, from, pitch, height, width / unit, c->bytes >= stream_bytes);
}
