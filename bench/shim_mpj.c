/* This file lets the timing kernel drive MPJ. */
#include "shim.h"

#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>

const char shim_engine[] = "mpj";

struct shim_types {
  MPJ_Datatype block, whole;
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

int shim_types_create(const struct coll_shape *shape, struct shim_types **types)
{
  struct shim_types *t = calloc(1, sizeof *t);
  if (!t) return checked("shim_types_create", MPJ_ERR_NO_MEM);
  int status = shape->matrix ? matrix_types(shape, t) : contiguous_types(shape, t);
  if (!status) status = MPJ_Type_commit(&t->block);
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
  free(types);
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
