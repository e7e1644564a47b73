/* This header describes where the data of one case lies: an array of doubles,
 * the whole, made of equal blocks in a grid, one block a rank.
 *
 * A contiguous case is a grid of one column whose blocks have one row. */
#ifndef MPJ_BENCH_COLL_SHAPE_H
#define MPJ_BENCH_COLL_SHAPE_H

#include <stdbool.h>

struct coll_shape {
  bool matrix;               /* 2-D, for derived types; else blocks in a row */
  bool transpose;            /* a rank's slab of a square matrix that is to be transposed: each
                                column of a block goes to where its row is */
  long groups;               /* of ranks, one after the other, that give their slabs' blocks to each
                                other alone: then the blocks are those of a group, and they arrive
                                one below the other; else 0 */
  long grid_rows, grid_cols; /* blocks; rank i owns block i in C order */
  long rows, cols;           /* of one block, in doubles */
  bool library;              /* the data lies in memory that the library has allocated */
};

/* nranks blocks of `doubles` doubles each, one after the other. */
static inline struct coll_shape coll_shape_contiguous(int nranks, long doubles)
{
  return (struct coll_shape){.grid_rows = nranks, .grid_cols = 1, .rows = 1, .cols = doubles};
}

static inline long coll_shape_nparts(const struct coll_shape *s)
{
  return s->grid_rows * s->grid_cols;
}

/* One rank's slab, `rows` of the nranks * rows of a square matrix: a row of square blocks. */
static inline struct coll_shape coll_shape_slab(int nranks, long rows)
{
  return (struct coll_shape){
      .transpose = true, .grid_rows = 1, .grid_cols = nranks, .rows = rows, .cols = rows};
}

/* A rank's slab of an n x n matrix over nranks ranks, which becomes blocks over a grid of `groups`
 * rows: a block of it for each rank of the grid's row that it lies in. */
static inline struct coll_shape coll_shape_regrouped(int nranks, long groups, long n)
{
  return (struct coll_shape){.groups = groups,
                             .grid_rows = 1,
                             .grid_cols = nranks / groups,
                             .rows = n / nranks,
                             .cols = n / (nranks / groups)};
}

/* The shape of what arrives. */
static inline struct coll_shape coll_shape_arrived(const struct coll_shape *s)
{
  struct coll_shape arrived = *s;
  if (s->groups > 0) {
    arrived.grid_rows = s->grid_cols;
    arrived.grid_cols = 1;
  }
  return arrived;
}

/* Doubles in one block, in a row of the whole, and in the whole. */
static inline long coll_shape_part(const struct coll_shape *s)
{
  return s->rows * s->cols;
}

static inline long coll_shape_stride(const struct coll_shape *s)
{
  return s->grid_cols * s->cols;
}

static inline long coll_shape_whole(const struct coll_shape *s)
{
  return coll_shape_nparts(s) * coll_shape_part(s);
}

/* Index in the whole of part's first double. */
static inline long coll_shape_first(const struct coll_shape *s, long part)
{
  return part / s->grid_cols * s->rows * coll_shape_stride(s) + part % s->grid_cols * s->cols;
}

#endif
