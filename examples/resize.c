/* A job shrinks by a rank by MPJ_Remap_create_between.
 *
 * A matrix from an .npy file lies in blocks over a grid of all p ranks (4 ranks: 2 x 2). Then the
 * last rank leaves: the others have a communicator of their own and want the matrix in cyclic
 * blocks of 16 rows over p - 1 of them. One remap between the two groups moves it. What the smaller
 * group has it writes as .npy, rank 0 reads that back, and both files' matrices are equal.
 *
 * Run: mpjrun -n 4 resize IN.npy OUT.npy; or mpjrun -n 4 resize --make IN.npy OUT.npy, which first
 * makes IN.npy. */
#include <mpj/array.h>
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npy.h"

enum { DIMS = 2, MADE_ROWS = 203, MADE_COLS = 117, BLOCK = 16 };

static void must(int status)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "%s\n", MPJ_Error_detail());
  MPJ_Abort(MPJ_COMM_WORLD, 1);
}

static void must_npy(int failed, const char *path, const char *why)
{
  if (!failed) return;
  fprintf(stderr, "resize: %s: %s\n", path, why);
  MPJ_Abort(MPJ_COMM_WORLD, 1);
}

static void make_file(const char *path)
{
  struct npy m = {.rows = MADE_ROWS, .cols = MADE_COLS, .type = NPY_F8};
  char why[NPY_WHY];
  must_npy(npy_alloc(&m, why), path, why);
  for (int i = 0; i < MADE_ROWS * MADE_COLS; i++)
    ((double *)m.data)[i] = i / 8.0;
  must_npy(npy_write(path, &m, why), path, why);
  npy_free(&m);
}

/* What all ranks know of the matrix. */
struct shape {
  int64_t rows, cols, bytes, fortran; /* bytes: of an element */
};

static struct shape tell(const struct npy *m)
{
  struct shape shape = {m->rows, m->cols, (int64_t)npy_size(m->type), m->fortran};
  MPJ_Datatype type;
  must(MPJ_Type_contiguous(sizeof shape / sizeof(int64_t), MPJ_INT64, &type));
  must(MPJ_Type_commit(&type));
  must(MPJ_Bcast(&shape, type, 0, MPJ_COMM_WORLD));
  must(MPJ_Type_free(&type));
  return shape;
}

/* The matrix over grid[0] x grid[1] ranks of comm, in blocks of so many indices; 0: one a rank. */
static MPJ_Array describe(const struct shape *shape, const int grid[DIMS], MPJ_Count block,
                          MPJ_Comm comm)
{
  MPJ_Axis axes[DIMS] = {{.size = shape->rows}, {.size = shape->cols}};
  MPJ_Datatype element;
  MPJ_Array array;
  for (int d = 0; d < DIMS; d++) {
    axes[d].distribute = block ? MPJ_DISTRIBUTE_CYCLIC : MPJ_DISTRIBUTE_BLOCK;
    axes[d].darg = block;
    axes[d].grid_dim = d;
  }
  must(MPJ_Type_contiguous(shape->bytes, MPJ_BYTE, &element));
  must(MPJ_Type_commit(&element));
  must(MPJ_Array_create(DIMS, axes, DIMS, grid, shape->fortran ? MPJ_ORDER_FORTRAN : MPJ_ORDER_C,
                        element, comm, &array));
  must(MPJ_Type_free(&element));
  return array;
}

static void *room(MPJ_Array array, MPJ_Comm comm, const struct shape *shape)
{
  MPJ_Count sizes[DIMS], strides[DIMS];
  int rank;
  must(MPJ_Comm_rank(comm, &rank));
  must(MPJ_Array_local(array, rank, sizes, strides));
  return calloc((size_t)(sizes[0] * sizes[1]) + 1, (size_t)shape->bytes);
}

/* The grid of p ranks that is nearest to a square. */
static void choose_grid(int p, int grid[DIMS])
{
  grid[1] = 1;
  for (int k = 1; k * k <= p; k++)
    if (p % k == 0) grid[1] = k;
  grid[0] = p / grid[1];
}

int main(int argc, char **argv)
{
  const int one[DIMS] = {1, 1};
  char why[NPY_WHY];
  int p, rank, grid[DIMS], differs = 0;
  must(MPJ_Init(&argc, &argv));
  must(MPJ_Comm_size(MPJ_COMM_WORLD, &p));
  must(MPJ_Comm_rank(MPJ_COMM_WORLD, &rank));
  const int make = argc > 1 && !strcmp(argv[1], "--make");
  if (argc != 3 + make) {
    if (rank == 0) fprintf(stderr, "usage: resize [--make] IN.npy OUT.npy\n");
    MPJ_Finalize();
    return 2;
  }
  const char *in = argv[1 + make], *out = argv[2 + make];
  struct npy m = {.data = NULL}, copy = {.data = NULL};
  if (rank == 0 && make) make_file(in);
  if (rank == 0) must_npy(npy_read(in, &m, why), in, why);
  const struct shape shape = tell(&m);

  choose_grid(p, grid);
  MPJ_Array whole = describe(&shape, one, 0, MPJ_COMM_WORLD);
  MPJ_Array old = describe(&shape, grid, 0, MPJ_COMM_WORLD);
  void *before = room(old, MPJ_COMM_WORLD, &shape);
  must(MPJ_Remap(whole, NULL, old, NULL, NULL, m.data, before));

  const int fewer = p > 1 ? p - 1 : 1, rows[DIMS] = {fewer, 1};
  MPJ_Comm rest;
  MPJ_Array new = MPJ_ARRAY_NULL;
  void *after = NULL;
  MPJ_Schedule shrink;
  must(MPJ_Comm_split(MPJ_COMM_WORLD, rank < fewer ? 0 : MPJ_UNDEFINED, rank, &rest));
  if (rest != MPJ_COMM_NULL) {
    new = describe(&shape, rows, BLOCK, rest);
    after = room(new, rest, &shape);
  }
  must(MPJ_Remap_create_between(old, NULL, new, NULL, NULL, MPJ_COMM_WORLD, &shrink));
  must(MPJ_Schedule_forward(shrink, before, after));
  must(MPJ_Schedule_free(&shrink));

  if (rest != MPJ_COMM_NULL) { /* from here on the last rank is not needed */
    MPJ_Array alone = describe(&shape, one, 0, rest);
    copy = m;
    if (rank == 0) must_npy(npy_alloc(&copy, why), out, why);
    must(MPJ_Remap(new, NULL, alone, NULL, NULL, after, copy.data));
    must(MPJ_Array_free(&alone));
    must(MPJ_Array_free(&new));
  }
  if (rank == 0) {
    must_npy(npy_write(out, &copy, why), out, why);
    npy_free(&copy);
    must_npy(npy_read(out, &copy, why), out, why);
    differs = npy_count_equal(&m, &copy) != m.rows * m.cols;
    printf("%lld x %lld elements of %lld bytes, from %d x %d ranks to %d: %s\n",
           (long long)shape.rows, (long long)shape.cols, (long long)shape.bytes, grid[0], grid[1],
           fewer, differs ? "they differ" : "equal");
    npy_free(&copy);
    npy_free(&m);
  }
  free(before);
  free(after);
  must(MPJ_Array_free(&whole));
  must(MPJ_Array_free(&old));
  if (rest != MPJ_COMM_NULL) must(MPJ_Comm_free(&rest));
  must(MPJ_Finalize());
  return differs;
}
