/* A three-dimensional Fourier transform by MPJ_Remap_create.
 *
 * The cube lies in pencils along its last axis. Along an axis that a rank has whole it transforms
 * the lines by itself; two remaps turn the pencils, one to the second axis and one to the first.
 * The result is compared with the sum that defines the transform at some points.
 *
 * Run: mpjrun -n 4 fft3d [N] */
#include <mpj/array.h>
#include <mpj/mpj.h>

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIMS = 3 };

static void must(int status)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "%s\n", MPJ_Error_detail());
  MPJ_Abort(MPJ_COMM_WORLD, 1);
}

/* Input at a point, the same in every run. */
static double complex input(MPJ_Count x, MPJ_Count y, MPJ_Count z)
{
  return sin(1.0 + (double)x) * cos(0.5 * (double)y) + 0.25 * (double)((x + y * z) % 5) +
         I * (double)((3 * x + y + 2 * z) % 7);
}

/* Pencils along `axis`: the other two are in blocks over the grid's dimensions. */
static MPJ_Array pencils(MPJ_Count n, const int grid[2], int axis)
{
  MPJ_Axis axes[DIMS] = {{0}};
  MPJ_Array array;
  for (int d = 0, k = 0; d < DIMS; d++) {
    axes[d].size = n;
    if (d == axis) continue;
    axes[d].distribute = MPJ_DISTRIBUTE_BLOCK;
    axes[d].grid_dim = k++;
  }
  must(MPJ_Array_create(DIMS, axes, 2, grid, MPJ_ORDER_C, MPJ_C_DOUBLE_COMPLEX, MPJ_COMM_WORLD,
                        &array));
  return array;
}

static MPJ_Count room(MPJ_Array array, int rank)
{
  MPJ_Count sizes[DIMS], strides[DIMS];
  must(MPJ_Array_local(array, rank, sizes, strides));
  return sizes[0] * sizes[1] * sizes[2];
}

static double complex *memory(MPJ_Count n, MPJ_Count points)
{
  double complex *p = calloc((size_t)points + 1, sizeof *p);
  if (p) return p;
  fprintf(stderr, "fft3d: n is %lld: no memory for %lld points of %zu bytes\n", (long long)n,
          (long long)points, sizeof *p);
  MPJ_Abort(MPJ_COMM_WORLD, 1);
  return NULL;
}

/* Transform every line of a rank's pencils: the sum that defines it, for any n. */
static void transform_lines(MPJ_Array array, int rank, int axis, double complex *data)
{
  MPJ_Count sizes[DIMS], strides[DIMS];
  must(MPJ_Array_local(array, rank, sizes, strides));
  const MPJ_Count n = sizes[axis], stride = strides[axis];
  double complex *line = memory(n, n), *turn = memory(n, n);
  const double pi = acos(-1);
  for (MPJ_Count k = 0; k < n; k++)
    turn[k] = cexp(-2 * pi * I * (double)k / (double)n);
  for (MPJ_Count i = 0; i < sizes[0] * sizes[1] * sizes[2]; i++) {
    if (i / stride % n != 0) continue; /* not where a line begins */
    for (MPJ_Count k = 0; k < n; k++) {
      line[k] = 0;
      for (MPJ_Count j = 0; j < n; j++)
        line[k] += data[i + j * stride] * turn[j * k % n];
    }
    for (MPJ_Count k = 0; k < n; k++)
      data[i + k * stride] = line[k];
  }
  free(line);
  free(turn);
}

static double complex direct(MPJ_Count n, const MPJ_Count k[DIMS])
{
  const double pi = acos(-1);
  double complex sum = 0;
  for (MPJ_Count x = 0; x < n; x++)
    for (MPJ_Count y = 0; y < n; y++)
      for (MPJ_Count z = 0; z < n; z++)
        sum += input(x, y, z) *
               cexp(-2 * pi * I * (double)((x * k[0] + y * k[1] + z * k[2]) % n) / (double)n);
  return sum;
}

/* The greatest distance from the direct transform at the first, middle and last of this rank's
 * points. */
static double distance(MPJ_Array array, int rank, MPJ_Count n, const double complex *data)
{
  const MPJ_Count all = room(array, rank), some[3] = {0, all / 2, all - 1};
  double most = 0;
  for (int i = 0; i < 3 && all > 0; i++) {
    MPJ_Count k[DIMS];
    must(MPJ_Array_global(array, rank, some[i], k));
    most = fmax(most, cabs(direct(n, k) - data[some[i]]));
  }
  return most;
}

int main(int argc, char **argv)
{
  const MPJ_Count n = argc > 1 ? atol(argv[1]) : 16;
  int p, rank, grid[2] = {1, 1};
  must(MPJ_Init(&argc, &argv));
  must(MPJ_Comm_size(MPJ_COMM_WORLD, &p));
  must(MPJ_Comm_rank(MPJ_COMM_WORLD, &rank));
  if (n < 1) {
    if (rank == 0) fprintf(stderr, "fft3d: n is %lld, must be at least 1\n", (long long)n);
    MPJ_Finalize();
    return 2;
  }
  for (int f = 1; f * f <= p; f++)
    if (p % f == 0) grid[0] = f;
  grid[1] = p / grid[0];

  MPJ_Array array[DIMS];
  double complex *data[DIMS];
  MPJ_Schedule turn[DIMS] = {MPJ_SCHEDULE_NULL, MPJ_SCHEDULE_NULL, MPJ_SCHEDULE_NULL};
  for (int axis = 0; axis < DIMS; axis++) {
    array[axis] = pencils(n, grid, axis);
    data[axis] = memory(n, room(array[axis], rank));
  }
  for (int axis = DIMS - 1; axis > 0; axis--)
    must(MPJ_Remap_create(array[axis], NULL, array[axis - 1], NULL, NULL, &turn[axis]));
  for (MPJ_Count i = 0; i < room(array[DIMS - 1], rank); i++) {
    MPJ_Count at[DIMS];
    must(MPJ_Array_global(array[DIMS - 1], rank, i, at));
    data[DIMS - 1][i] = input(at[0], at[1], at[2]);
  }

  for (int axis = DIMS - 1; axis >= 0; axis--) {
    transform_lines(array[axis], rank, axis, data[axis]);
    if (axis > 0) must(MPJ_Schedule_forward(turn[axis], data[axis], data[axis - 1]));
  }
  double mine = distance(array[0], rank, n, data[0]), most;
  must(MPJ_Allreduce(&mine, MPJ_DOUBLE, &most, MPJ_DOUBLE, MPJ_MAX, MPJ_COMM_WORLD));
  const double allowed = 1e-12 * (double)(n * n * n) * 10;
  if (rank == 0)
    printf("%lld^3 points over %d x %d ranks: at most %.2g from the direct transform\n",
           (long long)n, grid[0], grid[1], most);
  for (int axis = 0; axis < DIMS; axis++) {
    if (turn[axis]) MPJ_Schedule_free(&turn[axis]);
    MPJ_Array_free(&array[axis]);
    free(data[axis]);
  }
  must(MPJ_Finalize());
  return most > allowed;
}
