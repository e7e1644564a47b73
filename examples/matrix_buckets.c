/* A matrix gathered to all ranks, its blocks described one by one.
 *
 * A process grid cuts the matrix into as equal stretches of rows and columns as can
 * be, so that blocks come in at most four shapes: rows and columns each rounded up or
 * down. matrix_to_all.c leaves all this to a distribution type; here the program has
 * its own idea of who owns what, and says it with a bucket struct: for each rank the
 * shape of its block, one of four, and where the block begins. However many ranks
 * there are, there are four shapes, and a block costs its place and two bits.
 *
 * Run: mpjrun -n 6 matrix_buckets */
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 701, COLUMNS = 503, SHAPES = 4 };

static void must(int status)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "%s\n", MPJ_Error_detail());
  MPJ_Abort(MPJ_COMM_WORLD, 1);
}

static void *room(size_t bytes)
{
  void *memory = malloc(bytes + 1);
  if (!memory) exit(1);
  return memory;
}

static double value(MPJ_Count row, MPJ_Count column)
{
  return (double)(row * COLUMNS + column);
}

/* p ranks as a grid, as square as can be. */
static void make_grid(int p, int grid[2])
{
  grid[0] = 1;
  for (int rows = 1; rows * rows <= p; rows++)
    if (p % rows == 0) grid[0] = rows;
  grid[1] = p / grid[0];
}

/* One dimension cut into stretches that differ by one at most, the longer first. */
static MPJ_Count length_of(MPJ_Count n, int k, int places)
{
  return n / places + (k < n % places);
}

static MPJ_Count begin_of(MPJ_Count n, int k, int places)
{
  const MPJ_Count longer = k < n % places ? k : n % places;
  return k * (n / places) + longer;
}

/* Shape s of a block inside the matrix: bit 0 for one column more, bit 1 for one row. */
static void make_shapes(const int grid[2], MPJ_Datatype shapes[SHAPES])
{
  for (int s = 0; s < SHAPES; s++) {
    const MPJ_Count rows = ROWS / grid[0] + s / 2, columns = COLUMNS / grid[1] + s % 2;
    must(MPJ_Type_vector(rows, columns, COLUMNS, MPJ_DOUBLE, &shapes[s]));
  }
}

/* The matrix as p parts, part i the block of rank i. */
static MPJ_Datatype make_whole(int p, const int grid[2])
{
  const MPJ_Count ones[SHAPES] = {1, 1, 1, 1};
  MPJ_Datatype shapes[SHAPES], whole;
  int *shape_of = room(sizeof *shape_of * (size_t)p);
  MPJ_Aint *displs = room(sizeof *displs * (size_t)p);
  for (int i = 0; i < p; i++) {
    const int row = i / grid[1], column = i % grid[1];
    shape_of[i] = 2 * (row < ROWS % grid[0]) + (column < COLUMNS % grid[1]);
    displs[i] = (begin_of(ROWS, row, grid[0]) * COLUMNS + begin_of(COLUMNS, column, grid[1])) *
                (MPJ_Aint)sizeof(double);
  }
  make_shapes(grid, shapes);
  must(MPJ_Type_create_bucket_struct(p, SHAPES, ones, shapes, shape_of, displs, &whole));
  must(MPJ_Type_commit(&whole));
  for (int s = 0; s < SHAPES; s++)
    must(MPJ_Type_free(&shapes[s]));
  free(displs);
  free(shape_of);
  return whole;
}

/* This rank's block, dense, and its type. */
static double *compute(int rank, const int grid[2], MPJ_Datatype *mine)
{
  const int i = rank / grid[1], j = rank % grid[1];
  const MPJ_Count rows = length_of(ROWS, i, grid[0]), columns = length_of(COLUMNS, j, grid[1]);
  double *block = room(sizeof(double) * (size_t)(rows * columns)), *at = block;
  for (MPJ_Count r = 0; r < rows; r++)
    for (MPJ_Count c = 0; c < columns; c++)
      *at++ = value(begin_of(ROWS, i, grid[0]) + r, begin_of(COLUMNS, j, grid[1]) + c);
  must(MPJ_Type_contiguous(rows * columns, MPJ_DOUBLE, mine));
  must(MPJ_Type_commit(mine));
  return block;
}

static int check(const double *matrix)
{
  for (MPJ_Count i = 0; i < ROWS * COLUMNS; i++)
    if (matrix[i] != value(i / COLUMNS, i % COLUMNS)) return 1;
  return 0;
}

int main(int argc, char **argv)
{
  int p, rank, grid[2];
  must(MPJ_Init(&argc, &argv));
  must(MPJ_Comm_size(MPJ_COMM_WORLD, &p));
  must(MPJ_Comm_rank(MPJ_COMM_WORLD, &rank));
  if (argc > 1) {
    if (rank == 0)
      fprintf(stderr, "matrix_buckets: takes no arguments, and was given %s\n", argv[1]);
    MPJ_Finalize();
    return 2;
  }
  make_grid(p, grid);

  MPJ_Datatype mine, whole = make_whole(p, grid);
  double *block = compute(rank, grid, &mine), *matrix = room(sizeof(double) * ROWS * COLUMNS);
  must(MPJ_Allgather(block, mine, matrix, whole, MPJ_COMM_WORLD));

  const int wrong = check(matrix);
  if (wrong)
    fprintf(stderr, "rank %d: the matrix is wrong\n", rank);
  else if (rank == 0)
    printf("%d x %d on a grid of %d x %d, blocks of up to %d shapes\n", ROWS, COLUMNS, grid[0],
           grid[1], SHAPES);
  free(matrix);
  free(block);
  must(MPJ_Type_free(&mine));
  must(MPJ_Type_free(&whole));
  must(MPJ_Finalize());
  return wrong;
}
