/* This file fills, stamps and checks the buffers of a case. */
#include "coll_data.h"

#include <stdio.h>

enum { LINE_DOUBLES = 8 };

/* Double k of the block that `owner` made for `part`. The half keeps it apart
 * from every stamp. Exact for ranks below 256 and k below 2^31; where doubles are
 * summed they are small, so that sums are exact. */
static double value(const struct coll_case *c, int owner, int part, long k)
{
  if (coll_is_sum(c->op)) return (double)((owner + 1) * (1 + (part + k) % 1021)) + 0.5;
  return (double)(owner * 256L + part) * 0x1p31 + (double)k + 0.5;
}

static void fill_part(const struct coll_case *c, double *first, long stride, int part)
{
  for (long row = 0; row < c->shape.rows; row++)
    for (long col = 0; col < c->shape.cols; col++)
      first[row * stride + col] = value(c, c->rank, part, row * c->shape.cols + col);
}

void coll_data_fill_block(struct coll_case *c)
{
  fill_part(c, c->block, c->shape.cols, c->rank);
}

void coll_data_fill_whole(struct coll_case *c)
{
  for (int i = 0; i < c->npeers; i++)
    fill_part(c, c->whole + coll_shape_first(&c->shape, i), coll_shape_stride(&c->shape),
              c->first_peer + i);
}

void coll_data_stamp(const struct coll_case *c, double *first, long stride, double stamp)
{
  if (c->timing != COLL_REWRITTEN) {
    first[0] = stamp;
    return;
  }
  for (long row = 0; row < c->shape.rows; row++)
    for (long col = 0; col < c->shape.cols; col += LINE_DOUBLES)
      first[row * stride + col] = stamp;
}

int coll_data_summed(const struct coll_case *c, int rank)
{
  if (c->op == COLL_SCAN) return rank + 1;
  return c->op == COLL_EXSCAN ? rank : c->nranks;
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
  if (c->timing == COLL_DEPENDENT && c->rank != c->root) return value(c, last_root, c->rank, 0);
  return (double)c->calls;
}

static bool is_stamped(const struct coll_case *c, long row, long col)
{
  return c->timing == COLL_REWRITTEN ? col % LINE_DOUBLES == 0 : row == 0 && col == 0;
}

enum { OWN = -1 };

/* What a block must hold. */
struct content {
  int first_owner, owners; /* whose values are in it, summed up */
  int part;                /* that they made it for; OWN: each for itself */
  double stamp;            /* of each */
};

static double due(const struct coll_case *c, const struct content *x, long row, long col)
{
  double sum = 0;
  if (is_stamped(c, row, col)) return x->owners * x->stamp;
  for (int i = x->first_owner; i < x->first_owner + x->owners; i++)
    sum += value(c, i, x->part == OWN ? i : x->part, row * c->shape.cols + col);
  return sum;
}

static bool holds(const struct coll_case *c, const double *first, long stride, struct content x)
{
  const bool turned = c->shape.transpose;
  for (long row = 0; row < c->shape.rows; row++)
    for (long col = 0; col < c->shape.cols; col++) {
      double got = first[row * stride + col];
      double wanted = due(c, &x, turned ? col : row, turned ? row : col);
      if (got == wanted) continue;
      fprintf(stderr,
              "wrong data at rank %d after %ld calls: block of rank %d, row %ld, column %ld is "
              "%.17g, not %.17g\n",
              c->rank, c->calls, x.first_owner, row, col, got, wanted);
      return false;
    }
  return true;
}

/* All blocks that have arrived, each by one peer. */
static bool all_hold(const struct coll_case *c, const double *whole, int part)
{
  const struct coll_shape s = coll_shape_arrived(&c->shape);
  for (int i = 0; i < c->npeers; i++)
    if (!holds(c, whole + coll_shape_first(&s, i), coll_shape_stride(&s),
               (struct content){c->first_peer + i, 1, part, (double)c->calls}))
      return false;
  return true;
}

static bool summed(const struct coll_case *c, int part)
{
  const int owners = coll_data_summed(c, c->rank);
  if (owners == 0) return true;
  return holds(c, c->result, c->shape.cols, (struct content){0, owners, part, (double)c->calls});
}

static bool gathered(const struct coll_case *c, int last_root)
{
  if (c->rank != last_root) return true;
  for (int i = 0; i < c->nranks; i++)
    if (!holds(c, c->whole + coll_shape_first(&c->shape, i), coll_shape_stride(&c->shape),
               (struct content){i, 1, i, gathered_stamp(c, last_root, i)}))
      return false;
  return true;
}

bool coll_case_check(const struct coll_case *c)
{
  int last_root = 0;
  if (c->timing == COLL_DEPENDENT) last_root = c->root ? c->root - 1 : c->nranks - 1;
  switch (c->op) {
  case COLL_BCAST:
    return holds(c, c->block, c->shape.cols, (struct content){0, 1, 0, (double)c->calls});
  case COLL_GATHER:
    return gathered(c, last_root);
  case COLL_SCATTER:
    return holds(c, c->block, c->shape.cols,
                 (struct content){last_root, 1, c->rank, scattered_stamp(c, last_root)});
  case COLL_ALLGATHER:
    return all_hold(c, c->whole, OWN);
  case COLL_ALLTOALL:
    return all_hold(c, c->result, c->rank);
  case COLL_REDUCE:
    return c->rank != last_root || summed(c, OWN);
  case COLL_ALLREDUCE:
  case COLL_SCAN:
  case COLL_EXSCAN:
    return summed(c, OWN);
  case COLL_REDUCE_SCATTER:
    return summed(c, c->rank);
  case COLL_BARRIER:
  case COLL_NOPS:
    break;
  }
  return true;
}
