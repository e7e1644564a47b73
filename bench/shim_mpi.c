/* This file lets the timing kernel drive an MPI library; it is compiled once
 * for each, with the library's name in SHIM_ENGINE.
 *
 * Contiguous blocks go by MPI_Gather and MPI_Scatter with a count of doubles,
 * blocks of a matrix by MPI_Gatherv and MPI_Scatterv with a subarray type that
 * is resized to one double, so that displacements count doubles. Counts and
 * displacements fit an int: the largest size is 2^27 doubles a block, the largest
 * matrix 2^30. An error ends the job: MPI's default handler. */
#include "shim.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

const char shim_engine[] = SHIM_ENGINE;

struct shim_types {
  bool matrix;
  int doubles;          /* in one block */
  MPI_Datatype block;   /* in the whole; matrix only */
  int *counts, *displs; /* [ranks], matrix only */
};

int shim_run(int nthreads, int (*body)(void *arg), void *arg)
{
  if (nthreads > 0) {
    fprintf(stderr, "%s cannot run ranks as threads\n", shim_engine);
    return 1;
  }
  MPI_Init(NULL, NULL);
  int failed = body(arg);
  MPI_Finalize();
  return failed;
}

int shim_rank(void)
{
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int shim_size(void)
{
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

static int block_type(const struct coll_shape *shape, MPI_Datatype *type)
{
  const int sizes[2] = {(int)(shape->grid_rows * shape->rows), (int)coll_shape_stride(shape)};
  const int subsizes[2] = {(int)shape->rows, (int)shape->cols};
  const int starts[2] = {0, 0};
  MPI_Datatype box;
  MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &box);
  MPI_Type_create_resized(box, 0, sizeof(double), type);
  MPI_Type_free(&box);
  return MPI_Type_commit(type) != MPI_SUCCESS;
}

static int matrix_types(const struct coll_shape *shape, struct shim_types *t)
{
  int nparts = (int)coll_shape_nparts(shape);
  t->counts = calloc((size_t)nparts, sizeof *t->counts);
  t->displs = calloc((size_t)nparts, sizeof *t->displs);
  if (!t->counts || !t->displs) return 1;
  for (int i = 0; i < nparts; i++) {
    t->counts[i] = 1;
    t->displs[i] = (int)coll_shape_first(shape, i);
  }
  return block_type(shape, &t->block);
}

int shim_types_create(const struct coll_shape *shape, struct shim_types **types)
{
  struct shim_types *t = calloc(1, sizeof *t);
  if (!t) return 1;
  t->matrix = shape->matrix;
  t->doubles = (int)coll_shape_part(shape);
  t->block = MPI_DATATYPE_NULL;
  if (t->matrix && matrix_types(shape, t)) {
    fprintf(stderr, "%s: no memory for the displacements of %ld blocks\n", shim_engine,
            coll_shape_nparts(shape));
    shim_types_free(t);
    return 1;
  }
  *types = t;
  return 0;
}

void shim_types_free(struct shim_types *types)
{
  if (types->block != MPI_DATATYPE_NULL) MPI_Type_free(&types->block);
  free(types->counts);
  free(types->displs);
  free(types);
}

int shim_barrier(void)
{
  return MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS;
}

int shim_bcast(double *block, const struct shim_types *types, int root)
{
  return MPI_Bcast(block, types->doubles, MPI_DOUBLE, root, MPI_COMM_WORLD) != MPI_SUCCESS;
}

int shim_gather(const double *block, double *whole, const struct shim_types *types, int root)
{
  int n = types->doubles;
  if (types->matrix)
    return MPI_Gatherv(block, n, MPI_DOUBLE, whole, types->counts, types->displs, types->block,
                       root, MPI_COMM_WORLD) != MPI_SUCCESS;
  return MPI_Gather(block, n, MPI_DOUBLE, whole, n, MPI_DOUBLE, root, MPI_COMM_WORLD) !=
         MPI_SUCCESS;
}

int shim_scatter(const double *whole, double *block, const struct shim_types *types, int root)
{
  int n = types->doubles;
  if (types->matrix)
    return MPI_Scatterv(whole, types->counts, types->displs, types->block, block, n, MPI_DOUBLE,
                        root, MPI_COMM_WORLD) != MPI_SUCCESS;
  return MPI_Scatter(whole, n, MPI_DOUBLE, block, n, MPI_DOUBLE, root, MPI_COMM_WORLD) !=
         MPI_SUCCESS;
}
