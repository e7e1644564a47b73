/* This file divides one dimension of an array among the coordinates of one
 * dimension of a process grid. */
#include "types/distribution/dimension.h"

#include <inttypes.h>

#include <mpj/datatype.h>

#include "base/memory.h"
#include "base/status.h"
#include "types/layout/layout_make.h"

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

static int check_sizes(int d, MPJ_Count gsize, int psize)
{
  if (gsize < 1)
    return mpj_error(MPJ_ERR_ARG, "gsizes[%d] is %" PRId64 ", must be at least 1", d, gsize);
  if (psize < 1) return mpj_error(MPJ_ERR_ARG, "psizes[%d] is %d, must be at least 1", d, psize);
  return MPJ_SUCCESS;
}

static int check_arguments(int d, MPJ_Count gsize, int distrib, int psize)
{
  int status = check_sizes(d, gsize, psize);
  if (status) return status;
  if (distrib != MPJ_DISTRIBUTE_BLOCK && distrib != MPJ_DISTRIBUTE_CYCLIC &&
      distrib != MPJ_DISTRIBUTE_NONE)
    return mpj_error(MPJ_ERR_ARG, "distribs[%d] is %d, which is not BLOCK, CYCLIC or NONE", d,
                     distrib);
  if (distrib == MPJ_DISTRIBUTE_NONE && psize != 1)
    return mpj_error(MPJ_ERR_ARG,
                     "psizes[%d] is %d, must be 1 where distribs[%d] is "
                     "MPJ_DISTRIBUTE_NONE",
                     d, psize, d);
  return MPJ_SUCCESS;
}

static void add_share(struct mpj_dimension *dim, MPJ_Count block, struct mpj_share share)
{
  if (share.coords == 0) return;
  share.block = block;
  share.start = share.blocks + share.rest > 0 ? share.first * block : 0;
  dim->regular[dim->nshares++] = share;
}

int mpj_dimension_init(struct mpj_dimension *dim, int d, MPJ_Count gsize, int distrib,
                       MPJ_Count darg, int psize)
{
  MPJ_Count block = gsize;
  int status = check_arguments(d, gsize, distrib, psize);
  if (!status) status = block_length(d, gsize, distrib, darg, psize, &block);
  if (status) return status;
  if (block > gsize) block = gsize;
  *dim = (struct mpj_dimension){.gsize = gsize, .psize = psize, .distrib = distrib, .darg = darg};
  MPJ_Count whole = gsize / block, rest = gsize % block;
  MPJ_Count more = whole % psize, shorter = rest > 0 ? 1 : 0;
  add_share(dim, block, (struct mpj_share){.coords = more, .blocks = whole / psize + 1});
  add_share(
      dim, block,
      (struct mpj_share){.first = more, .coords = shorter, .blocks = whole / psize, .rest = rest});
  add_share(dim, block,
            (struct mpj_share){.first = more + shorter,
                               .coords = psize - more - shorter,
                               .blocks = whole / psize});
  return MPJ_SUCCESS;
}

/* The blocks of a general dimension are lengths that cover the array; how many
 * runs of equal neighbours they have. */
static int check_blocks(int d, MPJ_Count gsize, const MPJ_Count blocks[], int psize,
                        MPJ_Count *nruns)
{
  MPJ_Count left = gsize, runs = 0;
  if (!blocks) return mpj_error(MPJ_ERR_ARG, "blocks[%d] is NULL", d);
  for (int c = 0; c < psize; c++) {
    if (blocks[c] < 0 || blocks[c] > left)
      return mpj_error(MPJ_ERR_ARG,
                       "blocks[%d][%d] is %" PRId64 ", must be 0 to %" PRId64
                       ", what is left of gsizes[%d] %" PRId64,
                       d, c, blocks[c], left, d, gsize);
    left -= blocks[c];
    if (c == 0 || blocks[c] != blocks[c - 1]) runs++;
  }
  if (left > 0)
    return mpj_error(MPJ_ERR_ARG, "blocks[%d] sum to %" PRId64 ", gsizes[%d] is %" PRId64, d,
                     gsize - left, d, gsize);
  *nruns = runs;
  return MPJ_SUCCESS;
}

int mpj_dimension_init_general(struct mpj_dimension *dim, int d, MPJ_Count gsize,
                               const MPJ_Count blocks[], int psize)
{
  MPJ_Count nruns = 0, start = 0;
  int status = check_sizes(d, gsize, psize);
  if (!status) status = check_blocks(d, gsize, blocks, psize, &nruns);
  if (status) return status;
  struct mpj_share *runs = mpj_alloc_array((size_t)nruns, sizeof *runs);
  if (!runs)
    return mpj_error(MPJ_ERR_NO_MEM, "%" PRId64 " runs of blocks could not be allocated", nruns);
  *dim = (struct mpj_dimension){
      .gsize = gsize, .psize = psize, .distrib = MPJ_DISTRIBUTE_GENERAL, .runs = runs};
  for (int c = 0; c < psize; c++) {
    if (c == 0 || blocks[c] != blocks[c - 1])
      runs[dim->nshares++] = (struct mpj_share){
          .first = c, .start = start, .block = blocks[c], .blocks = blocks[c] > 0 ? 1 : 0};
    runs[dim->nshares - 1].coords++;
    start += blocks[c];
  }
  return MPJ_SUCCESS;
}

void mpj_dimension_clear(struct mpj_dimension *dim)
{
  mpj_free(dim->runs);
  dim->runs = NULL;
}

MPJ_Count mpj_dimension_share(const struct mpj_dimension *dim, MPJ_Count c)
{
  const struct mpj_share *shares = mpj_dimension_shares(dim);
  MPJ_Count low = 0, high = dim->nshares;
  while (high - low > 1) {
    MPJ_Count middle = low + (high - low) / 2;
    if (shares[middle].first <= c)
      low = middle;
    else
      high = middle;
  }
  return low;
}

MPJ_Count mpj_dimension_first(const struct mpj_dimension *dim, MPJ_Count c)
{
  const struct mpj_share *s = mpj_dimension_shares(dim) + mpj_dimension_share(dim, c);
  return s->start + (c - s->first) * s->block;
}

/* Distances stay inside the array wherever they are used, so they cannot
 * overflow once the array's extent does not. */
int mpj_dimension_lay(const struct mpj_dimension *dim, MPJ_Count share, struct mpj_piece inner,
                      struct mpj_piece *out)
{
  const struct mpj_share *s = mpj_dimension_shares(dim) + share;
  MPJ_Aint round = s->blocks + (s->rest > 0) > 1 ? s->block * dim->psize * dim->stride : 0;
  struct mpj_piece block = {NULL, 0}, two[2] = {{NULL, 0}, {NULL, 0}};
  int status = mpj_layout_loop(s->block, dim->stride, inner, &block);
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
