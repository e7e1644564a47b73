/* This file lets the timing kernel drive MPJ. */
#include "shim.h"

#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>

const char shim_engine[] = "mpj";

struct shim_types {
  MPJ_Datatype block, whole; /* of a transpose: `block` is unused */
  MPJ_Datatype columns; /* of a transpose: the whole, each part column by column; of groups: the
                           slab, a part a rank; else null */
};

/* 0 on success; else 1 after saying what `call` did not do. */
static int checked(const char *call, int status)
{
  if (status == MPJ_SUCCESS) return 0;
  fprintf(stderr, "%s: %s: %s\n", call, MPJ_Error_string(status), MPJ_Error_detail());
  return 1;
}

int shim_run(int nthreads, int (*body)(void *arg), void *arg)
{
  if (nthreads > 0) return MPJ_Run_threads(nthreads, body, arg) ? 1 : 0;
  if (checked("MPJ_Init", MPJ_Init(NULL, NULL))) return 1;
  int failed = body(arg);
  return checked("MPJ_Finalize", MPJ_Finalize()) || failed;
}

int shim_rank(void)
{
  int rank = 0;
  checked("MPJ_Comm_rank", MPJ_Comm_rank(MPJ_COMM_WORLD, &rank));
  return rank;
}

int shim_size(void)
{
  int size = 1;
  checked("MPJ_Comm_size", MPJ_Comm_size(MPJ_COMM_WORLD, &size));
  return size;
}

static int contiguous_types(const struct coll_shape *shape, struct shim_types *t)
{
  int status = MPJ_Type_contiguous(shape->cols, MPJ_DOUBLE, &t->block);
  if (status) return status;
  return MPJ_Type_contiguous(shape->grid_rows, t->block, &t->whole);
}

static int matrix_types(const struct coll_shape *shape, struct shim_types *t)
{
  const MPJ_Count order[2] = {shape->grid_rows * shape->rows, shape->grid_cols * shape->cols};
  const int block[2] = {MPJ_DISTRIBUTE_BLOCK, MPJ_DISTRIBUTE_BLOCK};
  const MPJ_Count dflt[2] = {MPJ_DISTRIBUTE_DFLT_DARG, MPJ_DISTRIBUTE_DFLT_DARG};
  const int grid[2] = {(int)shape->grid_rows, (int)shape->grid_cols};
  int status =
      MPJ_Type_create_distribution(2, order, block, dflt, grid, MPJ_ORDER_C, MPJ_DOUBLE, &t->whole);
  if (status) return status;
  return MPJ_Type_create_local(t->whole, shim_rank(), &t->block);
}

static int repeat(MPJ_Count count, MPJ_Datatype once, MPJ_Aint extent, MPJ_Datatype *out)
{
  MPJ_Datatype resized;
  int status = MPJ_Type_create_resized(once, 0, extent, &resized);
  if (status) return status;
  status = MPJ_Type_contiguous(count, resized, out);
  MPJ_Type_free(&resized);
  return status;
}

/* Part j: columns j * cols .. of the slab, one after another. */
static int column_types(const struct coll_shape *shape, MPJ_Datatype *columns)
{
  MPJ_Datatype column, part;
  int status = MPJ_Type_vector(shape->rows, 1, coll_shape_stride(shape), MPJ_DOUBLE, &column);
  if (status) return status;
  status = repeat(shape->cols, column, sizeof(double), &part);
  MPJ_Type_free(&column);
  if (status) return status;
  status = repeat(shape->grid_cols, part, shape->cols * (MPJ_Aint)sizeof(double), columns);
  MPJ_Type_free(&part);
  return status;
}

static int transpose_types(const struct coll_shape *shape, struct shim_types *t)
{
  MPJ_Datatype box;
  int status =
      MPJ_Type_vector(shape->rows, shape->cols, coll_shape_stride(shape), MPJ_DOUBLE, &box);
  if (status) return status;
  status = repeat(shape->grid_cols, box, shape->cols * (MPJ_Aint)sizeof(double), &t->whole);
  MPJ_Type_free(&box);
  if (!status) status = column_types(shape, &t->columns);
  return status ? status : MPJ_Type_commit(&t->columns);
}

/* A slab with a block for each rank of this one's group and empty parts for the others; and where
 * such blocks arrive, one below the other. */
static int group_types(const struct coll_shape *shape, struct shim_types *t)
{
  const int size = shim_size(), npeers = (int)shape->grid_cols;
  const int first = shim_rank() / npeers * npeers;
  MPJ_Count *counts = calloc((size_t)size, sizeof *counts);
  MPJ_Aint *from = calloc((size_t)size, sizeof *from), *to = calloc((size_t)size, sizeof *to);
  MPJ_Datatype box = MPJ_DATATYPE_NULL;
  int status = counts && from && to ? MPJ_SUCCESS : MPJ_ERR_NO_MEM;
  for (int i = first; !status && i < first + npeers; i++) {
    counts[i] = 1;
    from[i] = (i - first) * shape->cols * (MPJ_Aint)sizeof(double);
    to[i] = (i - first) * coll_shape_part(shape) * (MPJ_Aint)sizeof(double);
  }
  if (!status)
    status = MPJ_Type_vector(shape->rows, shape->cols, coll_shape_stride(shape), MPJ_DOUBLE, &box);
  if (!status) status = MPJ_Type_create_hindexed(size, counts, from, box, &t->columns);
  if (!status) status = MPJ_Type_commit(&t->columns);
  if (!status) status = MPJ_Type_contiguous(coll_shape_part(shape), MPJ_DOUBLE, &t->block);
  if (!status) status = MPJ_Type_create_hindexed(size, counts, to, t->block, &t->whole);
  if (box) MPJ_Type_free(&box);
  free(counts);
  free(from);
  free(to);
  return status;
}

int shim_types_create(const struct coll_shape *shape, struct shim_types **types)
{
  struct shim_types *t = calloc(1, sizeof *t);
  if (!t) return checked("shim_types_create", MPJ_ERR_NO_MEM);
  int status = shape->transpose    ? transpose_types(shape, t)
               : shape->matrix     ? matrix_types(shape, t)
               : shape->groups > 0 ? group_types(shape, t)
                                   : contiguous_types(shape, t);
  if (!status && t->block) status = MPJ_Type_commit(&t->block);
  if (!status) status = MPJ_Type_commit(&t->whole);
  if (checked("making the types", status)) {
    shim_types_free(t);
    return 1;
  }
  *types = t;
  return 0;
}

void shim_types_free(struct shim_types *types)
{
  if (types->block) checked("MPJ_Type_free", MPJ_Type_free(&types->block));
  if (types->whole) checked("MPJ_Type_free", MPJ_Type_free(&types->whole));
  if (types->columns) checked("MPJ_Type_free", MPJ_Type_free(&types->columns));
  free(types);
}

void *shim_alloc(size_t bytes)
{
  void *memory;
  return checked("MPJ_Alloc_mem", MPJ_Alloc_mem((MPJ_Count)bytes, &memory)) ? NULL : memory;
}

void shim_free(void *memory)
{
  checked("MPJ_Free_mem", MPJ_Free_mem(memory));
}

int shim_barrier(void)
{
  return checked("MPJ_Barrier", MPJ_Barrier(MPJ_COMM_WORLD));
}

int shim_bcast(double *block, const struct shim_types *types, int root)
{
  return checked("MPJ_Bcast", MPJ_Bcast(block, types->block, root, MPJ_COMM_WORLD));
}

int shim_gather(const double *block, double *whole, const struct shim_types *types, int root)
{
  return checked("MPJ_Gather",
                 MPJ_Gather(block, types->block, whole, types->whole, root, MPJ_COMM_WORLD));
}

int shim_scatter(const double *whole, double *block, const struct shim_types *types, int root)
{
  return checked("MPJ_Scatter",
                 MPJ_Scatter(whole, types->whole, block, types->block, root, MPJ_COMM_WORLD));
}

int shim_allgather(const double *block, double *whole, const struct shim_types *types)
{
  return checked("MPJ_Allgather",
                 MPJ_Allgather(block, types->block, whole, types->whole, MPJ_COMM_WORLD));
}

int shim_alltoall(const double *whole, double *result, const struct shim_types *types)
{
  const MPJ_Datatype from = types->columns ? types->columns : types->whole;
  return checked("MPJ_Alltoall", MPJ_Alltoall(whole, from, result, types->whole, MPJ_COMM_WORLD));
}

int shim_reduce(const double *block, double *result, const struct shim_types *types, int root)
{
  return checked("MPJ_Reduce", MPJ_Reduce(block, types->block, result, types->block, MPJ_SUM, root,
                                          MPJ_COMM_WORLD));
}

int shim_allreduce(const double *block, double *result, const struct shim_types *types)
{
  return checked("MPJ_Allreduce",
                 MPJ_Allreduce(block, types->block, result, types->block, MPJ_SUM, MPJ_COMM_WORLD));
}

int shim_reduce_scatter(const double *whole, double *result, const struct shim_types *types)
{
  return checked("MPJ_Reduce_scatter", MPJ_Reduce_scatter(whole, types->whole, result, types->block,
                                                          MPJ_SUM, MPJ_COMM_WORLD));
}

int shim_scan(const double *block, double *result, const struct shim_types *types)
{
  return checked("MPJ_Scan",
                 MPJ_Scan(block, types->block, result, types->block, MPJ_SUM, MPJ_COMM_WORLD));
}

int shim_exscan(const double *block, double *result, const struct shim_types *types)
{
  return checked("MPJ_Exscan",
                 MPJ_Exscan(block, types->block, result, types->block, MPJ_SUM, MPJ_COMM_WORLD));
}
