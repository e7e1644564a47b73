/* This file lets the timing kernel drive an MPI library; it is compiled once
 * for each, with the library's name in SHIM_ENGINE.
 *
 * Contiguous blocks go by MPI_Gather and MPI_Scatter with a count of doubles,
 * blocks of a matrix by MPI_Gatherv and MPI_Scatterv with a subarray type that
 * is resized to one double, so that displacements count doubles. Counts and
 * displacements fit an int. A transpose sends as many columns as there are rows
 * in a block, each resized to one double, and receives boxes of rows: the largest size is 2^27
 * doubles a block, the largest matrix 2^30. Groups exchange by MPI_Alltoallw, whose displacements
 * are bytes: a slab of at most 2 GiB. An error ends the job: MPI's default handler. */
#include "shim.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

const char shim_engine[] = SHIM_ENGINE;

struct shim_types {
  bool matrix;
  int doubles;             /* in one block */
  MPI_Datatype block;      /* in the whole; matrix and transpose only */
  MPI_Datatype column;     /* of a transpose */
  int columns;             /* in one block of it; else 0 */
  int *counts, *displs;    /* [ranks], matrix and groups only */
  int *places;             /* [ranks] bytes, of what arrives; groups only */
  MPI_Datatype *from, *to; /* [ranks], groups only: `block`, and `column`, a dense one */
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

/* A vector of doubles, resized. */
static void vector_type(int count, int length, int stride, MPI_Aint extent, MPI_Datatype *type)
{
  MPI_Datatype dense;
  MPI_Type_vector(count, length, stride, MPI_DOUBLE, &dense);
  MPI_Type_create_resized(dense, 0, extent, type);
  MPI_Type_free(&dense);
  MPI_Type_commit(type);
}

static void transpose_types(const struct coll_shape *shape, struct shim_types *t)
{
  const int rows = (int)shape->rows, stride = (int)coll_shape_stride(shape);
  t->columns = (int)shape->cols;
  vector_type(rows, 1, stride, sizeof(double), &t->column);
  vector_type(rows, t->columns, stride, t->columns * (MPI_Aint)sizeof(double), &t->block);
}

/* Blocks for the ranks of this one's group, nothing for the others. */
static int group_types(const struct coll_shape *shape, struct shim_types *t)
{
  const int size = shim_size(), npeers = (int)shape->grid_cols;
  const int first = shim_rank() / npeers * npeers;
  const size_t n = (size_t)size;
  vector_type((int)shape->rows, (int)shape->cols, (int)coll_shape_stride(shape), sizeof(double),
              &t->block);
  MPI_Type_contiguous(t->doubles, MPI_DOUBLE, &t->column);
  MPI_Type_commit(&t->column);
  t->counts = calloc(n, sizeof *t->counts);
  t->displs = calloc(n, sizeof *t->displs);
  t->places = calloc(n, sizeof *t->places);
  t->from = calloc(n, sizeof *t->from);
  t->to = calloc(n, sizeof *t->to);
  if (!t->counts || !t->displs || !t->places || !t->from || !t->to) return 1;
  for (int i = 0; i < size; i++) {
    const bool is_peer = i >= first && i < first + npeers;
    t->from[i] = t->block;
    t->to[i] = t->column;
    t->counts[i] = is_peer;
    t->displs[i] = is_peer ? (i - first) * (int)shape->cols * (int)sizeof(double) : 0;
    t->places[i] = is_peer ? (i - first) * t->doubles * (int)sizeof(double) : 0;
  }
  return 0;
}

int shim_types_create(const struct coll_shape *shape, struct shim_types **types)
{
  struct shim_types *t = calloc(1, sizeof *t);
  if (!t) return 1;
  t->matrix = shape->matrix;
  t->doubles = (int)coll_shape_part(shape);
  t->block = t->column = MPI_DATATYPE_NULL;
  if (shape->transpose) transpose_types(shape, t);
  if ((t->matrix && matrix_types(shape, t)) || (shape->groups > 0 && group_types(shape, t))) {
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
  if (types->column != MPI_DATATYPE_NULL) MPI_Type_free(&types->column);
  free(types->counts);
  free(types->displs);
  free(types->places);
  free(types->from);
  free(types->to);
  free(types);
}

void *shim_alloc(size_t bytes)
{
  void *memory;
  return MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory) == MPI_SUCCESS ? memory : NULL;
}

void shim_free(void *memory)
{
  MPI_Free_mem(memory);
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

int shim_allgather(const double *block, double *whole, const struct shim_types *types)
{
  int n = types->doubles;
  return MPI_Allgather(block, n, MPI_DOUBLE, whole, n, MPI_DOUBLE, MPI_COMM_WORLD) != MPI_SUCCESS;
}

int shim_alltoall(const double *whole, double *result, const struct shim_types *types)
{
  int n = types->doubles;
  if (types->from)
    return MPI_Alltoallw(whole, types->counts, types->displs, types->from, result, types->counts,
                         types->places, types->to, MPI_COMM_WORLD) != MPI_SUCCESS;
  if (types->columns > 0)
    return MPI_Alltoall(whole, types->columns, types->column, result, 1, types->block,
                        MPI_COMM_WORLD) != MPI_SUCCESS;
  return MPI_Alltoall(whole, n, MPI_DOUBLE, result, n, MPI_DOUBLE, MPI_COMM_WORLD) != MPI_SUCCESS;
}

int shim_reduce(const double *block, double *result, const struct shim_types *types, int root)
{
  return MPI_Reduce(block, result, types->doubles, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD) !=
         MPI_SUCCESS;
}

int shim_allreduce(const double *block, double *result, const struct shim_types *types)
{
  return MPI_Allreduce(block, result, types->doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) !=
         MPI_SUCCESS;
}

int shim_reduce_scatter(const double *whole, double *result, const struct shim_types *types)
{
  return MPI_Reduce_scatter_block(whole, result, types->doubles, MPI_DOUBLE, MPI_SUM,
                                  MPI_COMM_WORLD) != MPI_SUCCESS;
}

int shim_scan(const double *block, double *result, const struct shim_types *types)
{
  return MPI_Scan(block, result, types->doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) !=
         MPI_SUCCESS;
}

int shim_exscan(const double *block, double *result, const struct shim_types *types)
{
  return MPI_Exscan(block, result, types->doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) !=
         MPI_SUCCESS;
}
