/* A sparse system by MPJ_Subscript_create.
 *
 * A symmetric or general matrix in Matrix Market's coordinate format is divided by rows, in blocks.
 * A row needs those elements of a vector that its columns name: they are gathered by their global
 * subscripts, by a schedule that is made once. Conjugate gradients then solve Ax = b for b = A 1,
 * to a residual of 1e-10 of b's norm; x is compared with the ones that it must be. They need a
 * matrix that is symmetric and positive definite, a general one too.
 *
 * Run: mpjrun -n 4 spmv FILE.mtx; spmv --make N FILE.mtx writes the matrix of a 5-point stencil on
 * N x N points. Source of the format: R. Boisvert, R. Pozo, K. Remington, The Matrix Market
 * Exchange Formats (NISTIR 5935, 1996). */
#include <mpj/array.h>
#include <mpj/mpj.h>

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int status)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "%s\n", MPJ_Error_detail());
  MPJ_Abort(MPJ_COMM_WORLD, 1);
}

static void fail(const char *path, const char *why)
{
  fprintf(stderr, "spmv: %s: %s\n", path, why);
  MPJ_Abort(MPJ_COMM_WORLD, 1);
}

/* Memory for n items of some bytes, zero, and never NULL. */
static void *room_for(MPJ_Count n, size_t bytes)
{
  void *room = (unsigned long long)n < SIZE_MAX ? calloc((size_t)n + 1, bytes) : NULL;
  char why[64];
  snprintf(why, sizeof why, "no memory for %lld numbers", (long long)n);
  if (!room) fail("this rank's rows", why);
  return room;
}

enum { MADE_MOST = 10000 };

static int make_file(long n, const char *path)
{
  if (n < 1 || n > MADE_MOST) {
    fprintf(stderr, "spmv: N is %ld, must be 1 to %d\n", n, MADE_MOST);
    return 2;
  }
  FILE *file = fopen(path, "w");
  if (!file) {
    fprintf(stderr, "spmv: %s: cannot be written\n", path);
    return 1;
  }
  fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n%ld %ld %ld\n", n * n, n * n,
          n * n + 2 * n * (n - 1));
  for (long i = 0; i < n * n; i++) {
    fprintf(file, "%ld %ld 4.01\n", i + 1, i + 1);
    if (i % n < n - 1) fprintf(file, "%ld %ld -1\n", i + 2, i + 1);
    if (i + n < n * n) fprintf(file, "%ld %ld -1\n", i + n + 1, i + 1);
  }
  const bool bad = ferror(file) != 0;
  if (fclose(file) == 0 && !bad) return 0;
  fprintf(stderr, "spmv: %s: cannot be written to its end\n", path);
  return 1;
}

/* This rank's rows [first, first + rows): row r's elements are from begin[r] on. Columns are global
 * at first, then places among what is gathered. */
struct matrix {
  MPJ_Count n, first, rows, *begin, *column;
  double *value;
};

struct entry {
  MPJ_Count row, column;
  double value;
};

static int by_row(const void *a, const void *b)
{
  const struct entry *x = a, *y = b;
  if (x->row != y->row) return x->row < y->row ? -1 : 1;
  return x->column < y->column ? -1 : x->column > y->column;
}

static void lower(char *word)
{
  for (; *word; word++)
    *word = (char)tolower((unsigned char)*word);
}

/* The banner and the sizes; whether the matrix is symmetric. */
static int read_head(FILE *file, const char *path, MPJ_Count *n, MPJ_Count *entries)
{
  char line[1024], format[64], field[64], symmetry[64];
  long long rows, cols, given;
  if (!fgets(line, sizeof line, file) ||
      sscanf(line, "%%%%MatrixMarket matrix %63s %63s %63s", format, field, symmetry) != 3)
    fail(path, "has no MatrixMarket banner");
  lower(format);
  lower(field);
  lower(symmetry);
  if (strcmp(format, "coordinate") != 0) fail(path, "is not in the coordinate format");
  if (strcmp(field, "real") != 0 && strcmp(field, "integer") != 0) fail(path, "is not of numbers");
  if (strcmp(symmetry, "general") != 0 && strcmp(symmetry, "symmetric") != 0)
    fail(path, "is neither general nor symmetric");
  do {
    if (!fgets(line, sizeof line, file)) fail(path, "ends before its sizes");
  } while (line[0] == '%' || line[strspn(line, " \t\r\n")] == '\0');
  if (sscanf(line, "%lld %lld %lld", &rows, &cols, &given) != 3) fail(path, "has no sizes");
  if (rows < 1 || given < 0) fail(path, "has no row, or less than no entry");
  if (rows != cols) fail(path, "is not square");
  *n = rows;
  *entries = given;
  return strcmp(symmetry, "symmetric") == 0;
}

static void add(struct entry **list, MPJ_Count *n, MPJ_Count *most, struct entry e)
{
  if (*n == *most) {
    *most = 2 * *most + 64;
    *list = realloc(*list, (size_t)*most * sizeof **list);
    if (!*list) fail("this rank's rows", "no memory");
  }
  (*list)[(*n)++] = e;
}

/* Every rank reads the file, and keeps its rows. */
static struct entry *read_entries(FILE *file, const char *path, const struct matrix *m,
                                  int symmetric, MPJ_Count given, MPJ_Count *n)
{
  struct entry *list = NULL;
  MPJ_Count most = 0;
  *n = 0;
  for (MPJ_Count i = 0; i < given; i++) {
    long long row, column;
    double value;
    char why[160];
    if (fscanf(file, "%lld %lld %lf", &row, &column, &value) != 3) {
      snprintf(why, sizeof why, "ends after %lld of %lld entries", (long long)i, (long long)given);
      fail(path, why);
    }
    if (row < 1 || row > m->n || column < 1 || column > m->n || !isfinite(value)) {
      snprintf(why, sizeof why, "entry %lld is %lld %lld %g, the matrix has %lld rows",
               (long long)i + 1, row, column, value, (long long)m->n);
      fail(path, why);
    }
    row--;
    column--;
    if (row >= m->first && row < m->first + m->rows)
      add(&list, n, &most, (struct entry){row, column, value});
    if (symmetric && row != column && column >= m->first && column < m->first + m->rows)
      add(&list, n, &most, (struct entry){column, row, value});
  }
  return list;
}

static void read_matrix(const char *path, MPJ_Array *vector, struct matrix *m)
{
  FILE *file = fopen(path, "r");
  MPJ_Range range = {0, 0, 1};
  MPJ_Count given, n, pieces;
  int p, rank;
  if (!file) fail(path, "cannot be opened");
  const int symmetric = read_head(file, path, &m->n, &given);
  must(MPJ_Comm_size(MPJ_COMM_WORLD, &p));
  must(MPJ_Comm_rank(MPJ_COMM_WORLD, &rank));
  const MPJ_Axis axis = {.size = m->n, .distribute = MPJ_DISTRIBUTE_BLOCK};
  must(MPJ_Array_create(1, &axis, 1, &p, MPJ_ORDER_C, MPJ_DOUBLE, MPJ_COMM_WORLD, vector));
  must(MPJ_Array_ranges(*vector, rank, 0, 1, &range, &pieces));
  m->first = range.start;
  m->rows = range.count;
  struct entry *list = read_entries(file, path, m, symmetric, given, &n);
  fclose(file);
  if (n > 0) qsort(list, (size_t)n, sizeof *list, by_row);
  m->begin = room_for(m->rows, sizeof *m->begin);
  m->column = room_for(n, sizeof *m->column);
  m->value = room_for(n, sizeof *m->value);
  for (MPJ_Count i = 0; i < n; i++) {
    m->begin[list[i].row - m->first + 1]++;
    m->column[i] = list[i].column;
    m->value[i] = list[i].value;
  }
  for (MPJ_Count r = 0; r < m->rows; r++)
    m->begin[r + 1] += m->begin[r];
  free(list);
}

static int by_value(const void *a, const void *b)
{
  const MPJ_Count *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

/* Each column that this rank's rows name is gathered once, in rising order. */
static MPJ_Count make_gather(struct matrix *m, MPJ_Array vector, MPJ_Schedule *gather)
{
  const MPJ_Count entries = m->begin[m->rows];
  MPJ_Count *wanted = room_for(entries, sizeof *wanted), n = 0;
  memcpy(wanted, m->column, (size_t)entries * sizeof *wanted);
  qsort(wanted, (size_t)entries, sizeof *wanted, by_value);
  for (MPJ_Count i = 0; i < entries; i++)
    if (n == 0 || wanted[i] != wanted[n - 1]) wanted[n++] = wanted[i];
  for (MPJ_Count i = 0; i < entries; i++) {
    const MPJ_Count *at = bsearch(&m->column[i], wanted, (size_t)n, sizeof *wanted, by_value);
    m->column[i] = at - wanted;
  }
  must(MPJ_Subscript_create(vector, n, wanted, NULL, gather));
  free(wanted);
  return n;
}

static void multiply(const struct matrix *m, MPJ_Schedule gather, const double *x, double *gathered,
                     double *y)
{
  must(MPJ_Schedule_forward(gather, x, gathered));
  for (MPJ_Count r = 0; r < m->rows; r++) {
    y[r] = 0;
    for (MPJ_Count i = m->begin[r]; i < m->begin[r + 1]; i++)
      y[r] += m->value[i] * gathered[m->column[i]];
  }
}

static double dot(MPJ_Count n, const double *a, const double *b)
{
  double mine = 0, all;
  for (MPJ_Count i = 0; i < n; i++)
    mine += a[i] * b[i];
  must(MPJ_Allreduce(&mine, MPJ_DOUBLE, &all, MPJ_DOUBLE, MPJ_SUM, MPJ_COMM_WORLD));
  return all;
}

/* Conjugate gradients (Hestenes, Stiefel 1952) from x = 0; returns the steps that it took. */
static int solve(const struct matrix *m, MPJ_Schedule gather, double *gathered, const double *b,
                 double *x)
{
  enum { STEPS_MOST = 10000 };
  const size_t bytes = (size_t)m->rows * sizeof *b;
  double *r = room_for(m->rows, sizeof *r), *d = room_for(m->rows, sizeof *d);
  double *q = room_for(m->rows, sizeof *q);
  const double enough = 1e-20 * dot(m->rows, b, b);
  int steps = 0;
  memset(x, 0, bytes);
  memcpy(r, b, bytes);
  memcpy(d, b, bytes);
  double rr = dot(m->rows, r, r);
  for (; rr > enough && steps < STEPS_MOST; steps++) {
    multiply(m, gather, d, gathered, q);
    const double dq = dot(m->rows, d, q), a = rr / dq;
    if (!(dq > 0)) break; /* it is not positive definite */
    for (MPJ_Count i = 0; i < m->rows; i++) {
      x[i] += a * d[i];
      r[i] -= a * q[i];
    }
    const double next = dot(m->rows, r, r);
    for (MPJ_Count i = 0; i < m->rows; i++)
      d[i] = r[i] + next / rr * d[i];
    rr = next;
  }
  free(r);
  free(d);
  free(q);
  return steps;
}

int main(int argc, char **argv)
{
  if (argc == 4 && !strcmp(argv[1], "--make")) return make_file(atol(argv[2]), argv[3]);
  int rank;
  must(MPJ_Init(&argc, &argv));
  must(MPJ_Comm_rank(MPJ_COMM_WORLD, &rank));
  if (argc != 2 || argv[1][0] == '-') {
    if (rank == 0) fprintf(stderr, "usage: spmv FILE.mtx, or spmv --make N FILE.mtx\n");
    MPJ_Finalize();
    return 2;
  }
  struct matrix m;
  MPJ_Array vector;
  MPJ_Schedule gather;
  read_matrix(argv[1], &vector, &m);
  const MPJ_Count n = make_gather(&m, vector, &gather);
  double *ones = room_for(m.rows, sizeof *ones);
  double *b = room_for(m.rows, sizeof *b), *x = room_for(m.rows, sizeof *x);
  double *gathered = room_for(n, sizeof *gathered);
  for (MPJ_Count i = 0; i < m.rows; i++)
    ones[i] = 1;
  multiply(&m, gather, ones, gathered, b);
  const double begun = MPJ_Wtime();
  const int steps = solve(&m, gather, gathered, b, x);
  const double seconds = MPJ_Wtime() - begun;
  multiply(&m, gather, x, gathered, ones); /* Ax, and then b - Ax */
  double off = 0, furthest;
  for (MPJ_Count i = 0; i < m.rows; i++) {
    ones[i] = b[i] - ones[i];
    if (fabs(x[i] - 1) > off) off = fabs(x[i] - 1);
  }
  const double residual = sqrt(dot(m.rows, ones, ones) / dot(m.rows, b, b));
  must(MPJ_Allreduce(&off, MPJ_DOUBLE, &furthest, MPJ_DOUBLE, MPJ_MAX, MPJ_COMM_WORLD));
  if (rank == 0)
    printf("%lld rows: %d steps, %.1f ms, residual %.1e, the worst element is off by %.1e\n",
           (long long)m.n, steps, 1e3 * seconds, residual, furthest);
  const bool solved = residual <= 1e-9 && furthest <= 1e-6;
  if (!solved && rank == 0)
    fprintf(stderr, "spmv: %s: not solved; is it symmetric and positive definite?\n", argv[1]);
  free(ones);
  free(b);
  free(x);
  free(gathered);
  free(m.begin);
  free(m.column);
  free(m.value);
  must(MPJ_Schedule_free(&gather));
  must(MPJ_Array_free(&vector));
  must(MPJ_Finalize());
  return !solved;
}
