/* A matrix gathered to all ranks by MPJ_Allgather.
 *
 * Each rank computes the rectangle of the matrix that a process grid gives it;
 * then all have the whole. The grid need not divide the matrix: blocks come in up
 * to four shapes, and a grid may leave ranks without any. The type `whole` knows
 * them all; MPI would take counts and displacements, and could not place
 * rectangles by them at all.
 *
 * Run: mpjrun -n 6 matrix_to_all */
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 701, COLUMNS = 503 };

static void must(int status)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "%s\n", MPJ_Error_detail());
  MPJ_Abort(MPJ_COMM_WORLD, 1);
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

/* The stretch of 0 .. n that belongs to place k of `places`: blocks of
 * ceil(n / places), the last ones smaller. */
static MPJ_Count begin_of(MPJ_Count n, int k, int places)
{
  const MPJ_Count block = (n + places - 1) / places, begin = k * block;
  return begin < n ? begin : n;
}

/* This rank's rectangle, dense. */
static double *compute(int rank, const int grid[2])
{
  const int i = rank / grid[1], j = rank % grid[1];
  const MPJ_Count row = begin_of(ROWS, i, grid[0]), row_end = begin_of(ROWS, i + 1, grid[0]);
  const MPJ_Count col = begin_of(COLUMNS, j, grid[1]), col_end = begin_of(COLUMNS, j + 1, grid[1]);
  double *block = malloc(sizeof(double) * ((size_t)((row_end - row) * (col_end - col)) + 1));
  if (!block) exit(1);
  double *at = block;
  for (MPJ_Count r = row; r < row_end; r++)
    for (MPJ_Count c = col; c < col_end; c++)
      *at++ = value(r, c);
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
      fprintf(stderr, "matrix_to_all: takes no arguments, and was given %s\n", argv[1]);
    MPJ_Finalize();
    return 2;
  }
  make_grid(p, grid);

  const MPJ_Count n[2] = {ROWS, COLUMNS};
  const int block[2] = {MPJ_DISTRIBUTE_BLOCK, MPJ_DISTRIBUTE_BLOCK};
  const MPJ_Count dflt[2] = {MPJ_DISTRIBUTE_DFLT_DARG, MPJ_DISTRIBUTE_DFLT_DARG};
  MPJ_Datatype whole, mine; /* whole: p parts, part i in the matrix; mine: part `rank`, dense */
  must(MPJ_Type_create_distribution(2, n, block, dflt, grid, MPJ_ORDER_C, MPJ_DOUBLE, &whole));
  must(MPJ_Type_create_local(whole, rank, &mine));
  must(MPJ_Type_commit(&whole));
  must(MPJ_Type_commit(&mine));

  double *part = compute(rank, grid), *matrix = malloc(sizeof(double) * ROWS * COLUMNS);
  if (!matrix) return 1;
  must(MPJ_Allgather(part, mine, matrix, whole, MPJ_COMM_WORLD));

  const int wrong = check(matrix);
  if (wrong)
    fprintf(stderr, "rank %d: the matrix is wrong\n", rank);
  else if (rank == 0)
    printf("%d x %d on a grid of %d x %d\n", ROWS, COLUMNS, grid[0], grid[1]);
  free(matrix);
  free(part);
  must(MPJ_Type_free(&mine));
  must(MPJ_Type_free(&whole));
  must(MPJ_Finalize());
  return wrong;
}
