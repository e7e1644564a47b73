/* This file packs and unpacks columns of a matrix by transposition.
 *
 * The range may begin and end inside a column. Its rows then fall into at most
 * three bands, in each of which all rows have the same columns. */
#include "pack/run/columns.h"

#include "pack/kernels/transpose.h"
#include "pack/run/address.h"
#include "pack/run/exec_run.h"

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
                     .stream = to - from >= MPJ_COLUMNS_STREAM_BYTES,
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
