/* This file divides one dimension of an array among the coordinates of one
 * dimension of a process grid. */
#include "types/distribution/dimension.h"

#include <inttypes.h>

#include <mpj/datatype.h>

#include "base/status.h"

/* The block length that the arguments mean, before it is cut to gsize. */
static int block_length(int d, MPJ_Count gsize, int distrib, MPJ_Count darg, int psize,
                        MPJ_Count *block)
{
  MPJ_Count even = gsize / psize + (gsize % psize != 0);
  if (distrib == MPJ_DISTRIBUTE_NONE) {
    *block = gsize;
    return MPJ_SUCCESS;
  }
  if (darg == MPJ_DISTRIBUTE_DFLT_DARG) {
    *block = distrib == MPJ_DISTRIBUTE_BLOCK ? even : 1;
    return MPJ_SUCCESS;
  }
  if (darg < 1)
    return mpj_error(MPJ_ERR_ARG,
                     "dargs[%d] is %" PRId64 ", must be at least 1 or MPJ_DISTRIBUTE_DFLT_DARG", d,
                     darg);
  if (distrib == MPJ_DISTRIBUTE_BLOCK && darg < even)
    return mpj_error(MPJ_ERR_ARG,
                     "dargs[%d] is %" PRId64 ": %d blocks do not cover gsizes[%d] %" PRId64, d,
                     darg, psize, d, gsize);
  *block = darg;
  return MPJ_SUCCESS;
}

static int check_arguments(int d, MPJ_Count gsize, int distrib, int psize)
{
  if (gsize < 1)
    return mpj_error(MPJ_ERR_ARG, "gsizes[%d] is %" PRId64 ", must be at least 1", d, gsize);
  if (psize < 1) return mpj_error(MPJ_ERR_ARG, "psizes[%d] is %d, must be at least 1", d, psize);
  if (distrib != MPJ_DISTRIBUTE_BLOCK && distrib != MPJ_DISTRIBUTE_CYCLIC &&
      distrib != MPJ_DISTRIBUTE_NONE)
    return mpj_error(MPJ_ERR_ARG, "distribs[%d] is %d, which is no MPJ_DISTRIBUTE_ constant", d,
                     distrib);
  if (distrib == MPJ_DISTRIBUTE_NONE && psize != 1)
    return mpj_error(MPJ_ERR_ARG,
                     "psizes[%d] is %d, must be 1 where distribs[%d] is "
                     "MPJ_DISTRIBUTE_NONE",
                     d, psize, d);
  return MPJ_SUCCESS;
}

static void add_share(struct mpj_dimension *dim, MPJ_Count first, MPJ_Count coords,
                      MPJ_Count blocks, MPJ_Count rest)
{
  if (coords > 0) dim->shares[dim->nshares++] = (struct mpj_share){first, coords, blocks, rest};
}

int mpj_dimension_init(struct mpj_dimension *dim, int d, MPJ_Count gsize, int distrib,
                       MPJ_Count darg, int psize)
{
  MPJ_Count block = gsize;
  int status = check_arguments(d, gsize, distrib, psize);
  if (!status) status = block_length(d, gsize, distrib, darg, psize, &block);
  if (status) return status;
  if (block > gsize) block = gsize;
  *dim = (struct mpj_dimension){.gsize = gsize, .psize = psize, .block = block};
  MPJ_Count whole = gsize / block, rest = gsize % block;
  MPJ_Count more = whole % psize, shorter = rest > 0 ? 1 : 0;
  add_share(dim, 0, more, whole / psize + 1, 0);
  add_share(dim, more, shorter, whole / psize, rest);
  add_share(dim, more + shorter, psize - more - shorter, whole / psize, 0);
  return MPJ_SUCCESS;
}

int mpj_dimension_share(const struct mpj_dimension *dim, MPJ_Count c)
{
  int share = dim->nshares - 1;
  while (c < dim->shares[share].first)
    share--;
  return share;
}

/* Distances stay inside the array wherever they are used, so they cannot
 * overflow once the array's extent does not. */
int mpj_dimension_lay(const struct mpj_dimension *dim, int share, struct mpj_piece inner,
                      struct mpj_piece *out)
{
  const struct mpj_share *s = &dim->shares[share];
  MPJ_Aint round = s->blocks + (s->rest > 0) > 1 ? dim->block * dim->psize * dim->stride : 0;
  struct mpj_piece block = {NULL, 0}, two[2] = {{NULL, 0}, {NULL, 0}};
  int status = mpj_layout_loop(dim->block, dim->stride, inner, &block);
  if (!status) status = mpj_layout_loop(s->blocks, round, block, &two[0]);
  if (!status) status = mpj_layout_loop(s->rest, dim->stride, inner, &two[1]);
  if (!status) {
    if (two[1].layout->kind != MPJ_LAYOUT_EMPTY) two[1].displ += s->blocks * round;
    status = mpj_layout_seq(2, two, out);
  }
  mpj_layout_release(two[1].layout);
  mpj_layout_release(two[0].layout);
  mpj_layout_release(block.layout);
  return status;
}
