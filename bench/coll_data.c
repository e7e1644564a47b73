/* This file fills, stamps and checks the buffers of a case. */
#include "coll_data.h"

#include <stdio.h>

enum { LINE_DOUBLES = 8 };

/* Double k of the block that `owner` made for `part`. The half keeps it apart
 * from every stamp. Exact for ranks below 256 and k below 2^31. */
static double value(int owner, int part, long k)
{
  return (double)(owner * 256L + part) * 0x1p31 + (double)k + 0.5;
}

static void fill_part(const struct coll_case *c, double *first, long stride, int part)
{
  for (long row = 0; row < c->shape.rows; row++)
    for (long col = 0; col < c->shape.cols; col++)
      first[row * stride + col] = value(c->rank, part, row * c->shape.cols + col);
}

void coll_data_fill_block(struct coll_case *c)
{
  fill_part(c, c->block, c->shape.cols, c->rank);
}

void coll_data_fill_whole(struct coll_case *c)
{
  for (int i = 0; i < c->nranks; i++)
    fill_part(c, c->whole + coll_shape_first(&c->shape, i), coll_shape_stride(&c->shape), i);
}

void coll_data_stamp(const struct coll_case *c, double *first, long stride)
{
  double stamp = (double)(c->calls + 1);
  if (c->timing != COLL_REWRITTEN) {
    first[0] = stamp;
    return;
  }
  for (long row = 0; row < c->shape.rows; row++)
    for (long col = 0; col < c->shape.cols; col += LINE_DOUBLES)
      first[row * stride + col] = stamp;
}

/* The stamp that part i of the last root's whole must bear after a gather. The
 * rank that was root d calls before the last one sent the number of that call. */
static double gathered_stamp(const struct coll_case *c, int last_root, int i)
{
  if (c->timing != COLL_DEPENDENT) return (double)c->calls;
  long d = last_root > i ? last_root - i : last_root - i + c->nranks;
  return c->calls > d ? (double)(c->calls - d) : 0;
}

/* The stamp that this rank's block must bear after a scatter: dependent ones
 * pass from each root to the next alone. */
static double scattered_stamp(const struct coll_case *c, int last_root)
{
  if (c->timing == COLL_DEPENDENT && c->rank != c->root) return value(last_root, c->rank, 0);
  return (double)c->calls;
}

static bool is_stamped(const struct coll_case *c, long row, long col)
{
  return c->timing == COLL_REWRITTEN ? col % LINE_DOUBLES == 0 : row == 0 && col == 0;
}

static bool holds(const struct coll_case *c, const double *first, long stride, int owner, int part,
                  double stamp)
{
  for (long row = 0; row < c->shape.rows; row++)
    for (long col = 0; col < c->shape.cols; col++) {
      double got = first[row * stride + col];
      double due = is_stamped(c, row, col) ? stamp : value(owner, part, row * c->shape.cols + col);
      if (got == due) continue;
      fprintf(stderr,
              "wrong data at rank %d after %ld calls: block %d of rank %d, row %ld, column %ld is "
              "%.17g, not %.17g\n",
              c->rank, c->calls, part, owner, row, col, got, due);
      return false;
    }
  return true;
}

static bool gathered(const struct coll_case *c, int last_root)
{
  if (c->rank != last_root) return true;
  for (int i = 0; i < c->nranks; i++)
    if (!holds(c, c->whole + coll_shape_first(&c->shape, i), coll_shape_stride(&c->shape), i, i,
               gathered_stamp(c, last_root, i)))
      return false;
  return true;
}

bool coll_case_check(const struct coll_case *c)
{
  int last_root = 0;
  if (c->timing == COLL_DEPENDENT) last_root = c->root ? c->root - 1 : c->nranks - 1;
  switch (c->op) {
  case COLL_BCAST:
    return holds(c, c->block, c->shape.cols, 0, 0, (double)c->calls);
  case COLL_GATHER:
    return gathered(c, last_root);
  case COLL_SCATTER:
    return holds(c, c->block, c->shape.cols, last_root, c->rank, scattered_stamp(c, last_root));
  default:
    return true;
  }
}
