/* This file makes the calls of a case, with the stamps that coll_case.h
 * describes. */
#include "coll_case.h"

#include "coll_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

const char *coll_timing_name(enum coll_timing timing)
{
  static const char *const names[COLL_NTIMINGS] = {"back_to_back", "dependent", "rewritten"};
  return names[timing];
}

static bool has_whole(enum coll_op op)
{
  return op == COLL_GATHER || op == COLL_SCATTER;
}

double coll_case_memory(enum coll_op op, enum coll_timing timing, const struct coll_shape *shape)
{
  if (op == COLL_BARRIER) return 0;
  double nparts = (double)coll_shape_nparts(shape);
  double blocks = nparts * (double)coll_shape_part(shape) * (double)sizeof(double);
  double roots = timing == COLL_DEPENDENT ? nparts : 1;
  return blocks * (has_whole(op) ? 1 + roots : 1);
}

static double *new_buffer(long doubles)
{
  size_t bytes = (size_t)doubles * sizeof(double);
  double *buffer = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
  if (buffer) memset(buffer, 0xff, bytes); /* NaN */
  return buffer;
}

static void fill(struct coll_case *c)
{
  if (c->op == COLL_GATHER || (c->op == COLL_BCAST && c->rank == 0)) coll_data_fill_block(c);
  if (c->op == COLL_SCATTER && c->whole) coll_data_fill_whole(c);
  if (c->timing == COLL_DEPENDENT && c->block && (c->op != COLL_BCAST || c->rank == 0))
    c->block[0] = 0;
}

int coll_case_open(struct coll_case *c, enum coll_op op, enum coll_timing timing,
                   const struct coll_shape *shape)
{
  *c = (struct coll_case){
      .op = op, .timing = timing, .shape = *shape, .rank = shim_rank(), .nranks = shim_size()};
  bool is_root = c->rank == 0 || timing == COLL_DEPENDENT;
  if (op == COLL_BARRIER) return 0;
  if (shim_types_create(shape, &c->types)) return 1;
  c->block = new_buffer(coll_shape_part(shape));
  if (has_whole(op) && is_root) c->whole = new_buffer(coll_shape_whole(shape));
  if (!c->block || (has_whole(op) && is_root && !c->whole)) {
    fprintf(stderr, "rank %d has no memory for blocks of %ld doubles\n", c->rank,
            coll_shape_part(shape));
    coll_case_close(c);
    return 1;
  }
  fill(c);
  return 0;
}

void coll_case_close(struct coll_case *c)
{
  if (c->types) shim_types_free(c->types);
  free(c->block);
  free(c->whole);
  *c = (struct coll_case){0};
}

static int after(const struct coll_case *c, int rank)
{
  return rank + 1 == c->nranks ? 0 : rank + 1;
}

static int before(const struct coll_case *c, int rank)
{
  return rank == 0 ? c->nranks - 1 : rank - 1;
}

static int bcast(struct coll_case *c)
{
  if (c->rank == c->root) {
    if (c->timing == COLL_DEPENDENT)
      c->block[0] += 1;
    else
      coll_data_stamp(c, c->block, c->shape.cols);
  }
  return shim_bcast(c->block, c->types, c->root);
}

static int gather(struct coll_case *c)
{
  if (c->timing != COLL_DEPENDENT) coll_data_stamp(c, c->block, c->shape.cols);
  if (shim_gather(c->block, c->whole, c->types, c->root)) return 1;
  if (c->timing == COLL_DEPENDENT && c->rank == c->root)
    c->block[0] = c->whole[coll_shape_first(&c->shape, before(c, c->root))] + 1;
  return 0;
}

static int scatter(struct coll_case *c)
{
  if (c->rank == c->root) {
    if (c->timing == COLL_DEPENDENT)
      c->whole[coll_shape_first(&c->shape, after(c, c->root))] = c->block[0] + 1;
    else
      for (int i = 0; i < c->nranks; i++)
        coll_data_stamp(c, c->whole + coll_shape_first(&c->shape, i), coll_shape_stride(&c->shape));
  }
  return shim_scatter(c->whole, c->block, c->types, c->root);
}

static int call(struct coll_case *c)
{
  switch (c->op) {
  case COLL_BCAST:
    return bcast(c);
  case COLL_GATHER:
    return gather(c);
  case COLL_SCATTER:
    return scatter(c);
  default:
    return shim_barrier();
  }
}

int coll_case_step(struct coll_case *c)
{
  int failed = call(c);
  c->calls++;
  if (c->timing == COLL_DEPENDENT) c->root = after(c, c->root);
  return failed;
}
