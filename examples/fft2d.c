/* A two-dimensional Fourier transform whose transposes are MPJ_Alltoall types.
 *
 * The n x n array lies on the ranks by rows. Each rank transforms its rows, the
 * array is transposed, each transforms its rows again (the columns, by now), and
 * the array is transposed back. A transpose is one call: the types say where
 * everything goes, so there is no packing, no local transpose, and no count.
 *
 * Run: mpjrun -n 4 fft2d [n], n a power of two; checked against the definition. */
#include <mpj/mpj.h>

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void must(int status)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "%s\n", MPJ_Error_detail());
  MPJ_Abort(MPJ_COMM_WORLD, 1);
}

static double complex *array(int n)
{
  double complex *made = malloc(sizeof *made * ((size_t)n + 1));
  if (!made) exit(1);
  return made;
}

/* Row k of n lies on the rank with first(n, rank) <= k < first(n, rank + 1). */
static int first(int n, int rank, int p)
{
  return (int)((long)n * rank / p);
}

/* exp(-2 pi i k / n) */
static double complex root(long k, int n)
{
  const double angle = -2 * acos(-1) * (double)(k % n) / n;
  return cos(angle) + I * sin(angle);
}

/* One row, n a power of two: Cooley and Tukey. `work` has room for n. */
static void transform(double complex *row, double complex *work, int n)
{
  if (n == 1) return;
  for (int i = 0; i < n / 2; i++) {
    work[i] = row[2 * i];
    work[n / 2 + i] = row[2 * i + 1];
  }
  transform(work, row, n / 2);
  transform(work + n / 2, row, n / 2);
  for (int i = 0; i < n / 2; i++) {
    const double complex turned = root(i, n) * work[n / 2 + i];
    row[i] = work[i] + turned;
    row[n / 2 + i] = work[i] - turned;
  }
}

/* What goes to each rank: its columns of my rows, one column after another. A
 * column is a vector as wide as one element, so that columns stand side by side. */
static MPJ_Datatype columns_type(int n, int rows, int p)
{
  MPJ_Count *lens = calloc((size_t)p, sizeof *lens), *displs = calloc((size_t)p, sizeof *displs);
  MPJ_Datatype strided, column, made;
  if (!lens || !displs) exit(1);
  for (int j = 0; j < p; j++) {
    displs[j] = first(n, j, p);
    lens[j] = first(n, j + 1, p) - first(n, j, p);
  }
  must(MPJ_Type_vector(rows, 1, n, MPJ_C_DOUBLE_COMPLEX, &strided));
  must(MPJ_Type_create_resized(strided, 0, sizeof(double complex), &column));
  must(MPJ_Type_indexed(p, lens, displs, column, &made));
  must(MPJ_Type_commit(&made));
  must(MPJ_Type_free(&column));
  must(MPJ_Type_free(&strided));
  free(displs);
  free(lens);
  return made;
}

/* What comes from each rank: a block of columns of my rows, row after row. */
static MPJ_Datatype blocks_type(int n, int rows, int p)
{
  MPJ_Count *ones = calloc((size_t)p, sizeof *ones);
  MPJ_Aint *displs = calloc((size_t)p, sizeof *displs);
  MPJ_Datatype *blocks = calloc((size_t)p, sizeof(MPJ_Datatype)), made;
  if (!ones || !displs || !blocks) exit(1);
  for (int i = 0; i < p; i++) {
    const int width = first(n, i + 1, p) - first(n, i, p);
    ones[i] = 1;
    displs[i] = first(n, i, p) * (MPJ_Aint)sizeof(double complex);
    must(MPJ_Type_vector(rows, width, n, MPJ_C_DOUBLE_COMPLEX, &blocks[i]));
  }
  must(MPJ_Type_create_struct(p, ones, displs, blocks, &made));
  must(MPJ_Type_commit(&made));
  for (int i = 0; i < p; i++)
    must(MPJ_Type_free(&blocks[i]));
  free(blocks);
  free(displs);
  free(ones);
  return made;
}

/* The input, and its transform by definition. */
static double complex input(int row, int column)
{
  return cos(0.3 * row * row + column) + I * sin(0.7 * row + 0.2 * column * column);
}

static double complex by_definition(int u, int v, int n)
{
  double complex sum = 0;
  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++)
      sum += input(row, column) * root((long)u * row + (long)v * column, n);
  return sum;
}

static double greatest_error(const double complex *data, int n, int begin, int rows)
{
  double error = 0;
  for (int i = 0; i < rows * n; i++)
    error = fmax(error, cabs(data[i] - by_definition(begin + i / n, i % n, n)));
  return error;
}

int main(int argc, char **argv)
{
  const int n = argc > 1 ? atoi(argv[1]) : 32;
  int p, rank;
  must(MPJ_Init(&argc, &argv));
  must(MPJ_Comm_size(MPJ_COMM_WORLD, &p));
  must(MPJ_Comm_rank(MPJ_COMM_WORLD, &rank));
  if (n < 1 || (n & (n - 1)) != 0) {
    fprintf(stderr, "fft2d: n is %d, no power of two\n", n);
    return 2;
  }

  const int begin = first(n, rank, p), rows = first(n, rank + 1, p) - begin;
  double complex *data = array(rows * n), *turned = array(rows * n), *work = array(n);
  MPJ_Datatype columns = columns_type(n, rows, p), blocks = blocks_type(n, rows, p);
  for (int i = 0; i < rows * n; i++)
    data[i] = input(begin + i / n, i % n);

  for (int dimension = 0; dimension < 2; dimension++) {
    for (int r = 0; r < rows; r++)
      transform(data + (size_t)r * (size_t)n, work, n);
    must(MPJ_Alltoall(data, columns, turned, blocks, MPJ_COMM_WORLD));
    double complex *swap = data;
    data = turned;
    turned = swap;
  }

  const double error = greatest_error(data, n, begin, rows);
  double all = 0;
  must(MPJ_Allreduce(&error, MPJ_DOUBLE, &all, MPJ_DOUBLE, MPJ_MAX, MPJ_COMM_WORLD));
  if (rank == 0) printf("%d x %d on %d ranks, greatest error %.1e\n", n, n, p, all);
  must(MPJ_Type_free(&blocks));
  must(MPJ_Type_free(&columns));
  free(work);
  free(turned);
  free(data);
  must(MPJ_Finalize());
  return all > 1e-9 * n * n;
}
