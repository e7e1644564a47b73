/* Heat in a cube by MPJ_Halo_create.
 *
 * The cube is a distributed array of N^3 doubles, in blocks over a grid of ranks, with one layer of
 * ghosts. In each step the ghosts are on their way while a rank computes what does not need them.
 * At the end a remap brings the cube to rank 0, which has computed it alone: both are equal, bit
 * for bit. A picture of the middle plane, and of who owns its points, is drawn if a file is named.
 *
 * Run: mpjrun -n 4 heat3d [N [STEPS [PICTURE.png]]] */
#include <mpj/array.h>
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"

enum { DIMS = 3 };

static void must(int status)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "%s\n", MPJ_Error_detail());
  MPJ_Abort(MPJ_COMM_WORLD, 1);
}

/* A rank's block: sizes with ghosts, and where its inside begins in the cube. */
struct block {
  MPJ_Count sizes[DIMS], strides[DIMS], first[DIMS], n;
};

/* The grid: as near to a cube as three factors of p come. */
static void choose_grid(int p, int grid[DIMS])
{
  grid[0] = grid[1] = grid[2] = 1;
  for (int factor = 2; p > 1;) {
    if (p % factor != 0) {
      factor++;
      continue;
    }
    int least = 0;
    for (int d = 1; d < DIMS; d++)
      if (grid[d] < grid[least]) least = d;
    grid[least] *= factor;
    p /= factor;
  }
}

/* Zeros, or the end of the program. */
static double *memory(MPJ_Count n, MPJ_Count points)
{
  double *p = calloc((size_t)points, sizeof *p);
  if (p || points == 0) return p;
  fprintf(stderr, "heat3d: n is %lld: no memory for %lld points of %zu bytes\n", (long long)n,
          (long long)points, sizeof *p);
  MPJ_Abort(MPJ_COMM_WORLD, 1);
  return NULL;
}

static MPJ_Array describe(MPJ_Count n, const int grid[DIMS], MPJ_Count ghosts)
{
  MPJ_Axis axes[DIMS] = {{0}};
  MPJ_Array array;
  for (int d = 0; d < DIMS; d++) {
    axes[d].size = n;
    axes[d].distribute = MPJ_DISTRIBUTE_BLOCK;
    axes[d].grid_dim = d;
    axes[d].ghost_low = axes[d].ghost_high = ghosts;
  }
  must(MPJ_Array_create(DIMS, axes, DIMS, grid, MPJ_ORDER_C, MPJ_DOUBLE, MPJ_COMM_WORLD, &array));
  return array;
}

static struct block find_block(MPJ_Array array, int rank, MPJ_Count n)
{
  struct block b = {.n = n};
  must(MPJ_Array_local(array, rank, b.sizes, b.strides));
  for (int d = 0; d < DIMS; d++) {
    MPJ_Range range = {0, 0, 1};
    MPJ_Count pieces;
    must(MPJ_Array_ranges(array, rank, d, 1, &range, &pieces));
    b.first[d] = range.start;
  }
  return b;
}

static MPJ_Count room(const struct block *b)
{
  return b->sizes[0] * b->sizes[1] * b->sizes[2];
}

static double start_value(MPJ_Count x, MPJ_Count y, MPJ_Count z, MPJ_Count n)
{
  return x > n / 4 && x < n / 2 && y > n / 3 && z < n / 2 ? 100 : (double)((x + 2 * y + 3 * z) % 7);
}

static void fill(const struct block *b, double *u)
{
  memset(u, 0, (size_t)room(b) * sizeof *u); /* the walls, which are ghosts, are at 0 degrees */
  for (MPJ_Count x = 1; x < b->sizes[0] - 1; x++)
    for (MPJ_Count y = 1; y < b->sizes[1] - 1; y++)
      for (MPJ_Count z = 1; z < b->sizes[2] - 1; z++)
        u[x * b->strides[0] + y * b->strides[1] + z] =
            start_value(b->first[0] + x - 1, b->first[1] + y - 1, b->first[2] + z - 1, b->n);
}

/* One step at the points of the shell, those beside a ghost, or of the inside. */
static void step(const struct block *b, int shell, const double *u, double *next)
{
  for (MPJ_Count x = 1; x < b->sizes[0] - 1; x++)
    for (MPJ_Count y = 1; y < b->sizes[1] - 1; y++)
      for (MPJ_Count z = 1; z < b->sizes[2] - 1; z++) {
        const int beside = x == 1 || x == b->sizes[0] - 2 || y == 1 || y == b->sizes[1] - 2 ||
                           z == 1 || z == b->sizes[2] - 2;
        const MPJ_Count i = x * b->strides[0] + y * b->strides[1] + z;
        if (beside != shell) continue;
        next[i] = u[i] + 0.1 * (u[i - 1] + u[i + 1] + u[i - b->strides[1]] + u[i + b->strides[1]] +
                                u[i - b->strides[0]] + u[i + b->strides[0]] - 6 * u[i]);
      }
}

/* The steps; halo is MPJ_SCHEDULE_NULL on a rank alone. Returns the result, one of the two. */
static double *simulate(const struct block *b, MPJ_Schedule halo, int steps, double *u,
                        double *next)
{
  for (int t = 0; t < steps; t++) {
    MPJ_Request request = MPJ_REQUEST_NULL;
    if (halo) must(MPJ_Schedule_iforward(halo, u, u, &request));
    step(b, 0, u, next);
    must(MPJ_Wait(&request));
    step(b, 1, u, next);
    double *other = u;
    u = next;
    next = other;
  }
  return u;
}

/* Rank 0 computes the cube alone, and compares. */
static int differences(MPJ_Count n, int steps, const double *cube)
{
  const MPJ_Count side = n + 2;
  const struct block b = {{side, side, side}, {side * side, side, 1}, {0, 0, 0}, n};
  double *u = memory(n, room(&b)), *next = memory(n, room(&b));
  fill(&b, u);
  const double *alone = simulate(&b, MPJ_SCHEDULE_NULL, steps, u, next);
  int found = 0;
  for (MPJ_Count i = 0; i < n * n * n; i++) {
    const MPJ_Count x = i / n / n, y = i / n % n, z = i % n;
    const double *point = &alone[(x + 1) * b.strides[0] + (y + 1) * b.strides[1] + z + 1];
    found += memcmp(point, &cube[i], sizeof *point) != 0;
  }
  free(u);
  free(next);
  return found;
}

/* The plane x = n / 2 of the cube. */
static int draw(const char *path, MPJ_Count n, MPJ_Array field, int p, double *cube)
{
  struct npy plane = {.rows = n, .cols = n, .type = NPY_F8, .data = cube + n / 2 * n * n};
  uint16_t *owners = malloc((size_t)(n * n) * sizeof *owners);
  char title[64], why[NPY_WHY];
  for (MPJ_Count i = 0; owners && i < n * n; i++) {
    const MPJ_Count index[DIMS] = {n / 2, i / n, i % n};
    MPJ_Count offset;
    int owner;
    must(MPJ_Array_owner(field, index, &owner, &offset));
    owners[i] = (uint16_t)owner;
  }
  snprintf(title, sizeof title, "%d ranks, plane %lld", p, (long long)n / 2);
  const int failed = !owners || picture_write(path, &plane, owners, p, title, why);
  if (failed) fprintf(stderr, "heat3d: %s: %s\n", path, owners ? why : "no memory");
  free(owners);
  return failed;
}

int main(int argc, char **argv)
{
  const MPJ_Count n = argc > 1 ? atol(argv[1]) : 32;
  const int steps = argc > 2 ? atoi(argv[2]) : 20, alone[DIMS] = {1, 1, 1};
  int p, rank, grid[DIMS], found = 0;
  must(MPJ_Init(&argc, &argv));
  must(MPJ_Comm_size(MPJ_COMM_WORLD, &p));
  must(MPJ_Comm_rank(MPJ_COMM_WORLD, &rank));
  if (n < 1 || steps < 0) {
    if (rank == 0)
      fprintf(stderr, "heat3d: n is %lld and steps is %d, must be at least 1 and 0\n", (long long)n,
              steps);
    MPJ_Finalize();
    return 2;
  }
  choose_grid(p, grid);

  MPJ_Array field = describe(n, grid, 1), whole = describe(n, alone, 0);
  MPJ_Schedule halo;
  must(MPJ_Halo_create(field, field, NULL, NULL, 0, &halo));
  const struct block b = find_block(field, rank, n);
  double *u = memory(n, room(&b)), *next = memory(n, room(&b));
  double *cube = rank == 0 ? memory(n, n * n * n) : NULL;
  fill(&b, u);

  const double begun = MPJ_Wtime();
  const double *result = simulate(&b, halo, steps, u, next);
  const double seconds = MPJ_Wtime() - begun;
  must(MPJ_Remap(field, NULL, whole, NULL, NULL, result, cube));
  if (rank == 0) {
    found = differences(n, steps, cube);
    printf("%lld^3 points over %d x %d x %d ranks, %d steps: %.1f ms; %d points differ\n",
           (long long)n, grid[0], grid[1], grid[2], steps, 1e3 * seconds, found);
    if (argc > 3 && draw(argv[3], n, field, p, cube)) found = 1;
  }
  free(cube);
  free(u);
  free(next);
  MPJ_Schedule_free(&halo);
  MPJ_Array_free(&field);
  MPJ_Array_free(&whole);
  must(MPJ_Finalize());
  return found != 0;
}
