/* This file measures how the cost of making types grows: create and commit apart,
 * in time, bytes kept, and bytes at the peak. */
#include "types_growth.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "types_measure.h"

enum { FIRST = 100, MOST_SIZES = 8, BATCH = 64 };

/* From this n on, costs that grow are more than constant. */
enum { FIT_FROM = 10000 };

/* Milliseconds for each size at least, in several runs. */
static const double enough_ms = 5;

struct growth_point {
  MPJ_Count n, kept;
  double create, commit; /* ns, the best */
  long peak;             /* bytes */
};

static void must(int status)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "types: %s\n", MPJ_Error_detail());
  exit(1);
}

/* The old types of dup, resized, slice and create_local, of n blocks. */
static void make_olds(struct growth_input *in, MPJ_Count n)
{
  const MPJ_Count size = 10 * n + 3, darg = MPJ_DISTRIBUTE_DFLT_DARG;
  const int kind = MPJ_DISTRIBUTE_BLOCK, grid = (int)n;
  must(MPJ_Type_indexed(n, in->lens, in->displs, MPJ_DOUBLE, &in->old));
  must(MPJ_Type_create_distribution(1, &size, &kind, &darg, &grid, MPJ_ORDER_C, MPJ_DOUBLE,
                                    &in->dist));
  must(MPJ_Type_commit(&in->old));
}

static void free_olds(struct growth_input *in)
{
  must(MPJ_Type_free(&in->old));
  must(MPJ_Type_free(&in->dist));
}

/* A batch of equal types made and committed: one alone is too fast for the clock
 * where nothing grows. They share what they can, a program too. */
static void time_batch(const struct growth_case *c, const struct growth_input *in, int batch,
                       struct growth_point *p)
{
  static MPJ_Datatype types[BATCH];
  const double start = types_now();
  for (int i = 0; i < batch; i++)
    must(c->make(in, p->n, &types[i]));
  const double made = types_now();
  for (int i = 0; i < batch; i++)
    must(MPJ_Type_commit(&types[i]));
  const double create = (made - start) * 1e6 / batch, commit = (types_now() - made) * 1e6 / batch;
  if (p->create == 0 || create < p->create) p->create = create;
  if (p->commit == 0 || commit < p->commit) p->commit = commit;
  for (int i = 0; i < batch; i++)
    must(MPJ_Type_free(&types[i]));
}

/* One type, with what it keeps and the most it takes on the way. */
static void weigh(const struct growth_case *c, const struct growth_input *in,
                  struct growth_point *p)
{
  MPJ_Datatype type;
  mpj_memory_meter_start();
  must(c->make(in, p->n, &type));
  must(MPJ_Type_commit(&type));
  p->peak = mpj_memory_meter_stop().peak;
  must(MPJ_Type_memory(type, &p->kept));
  must(MPJ_Type_free(&type));
}

static struct growth_point measure(const struct growth_case *c, struct growth_input *in,
                                   MPJ_Count n)
{
  struct growth_point p = {.n = n};
  const int batch = c->input == 0 ? BATCH : 1;
  make_olds(in, n);
  weigh(c, in, &p);
  const double start = types_now();
  for (int r = 0; r < 3 || types_now() - start < enough_ms; r++)
    time_batch(c, in, batch, &p);
  free_olds(in);
  return p;
}

/* The exponent k of cost ~ n^k: the slope of the logarithms, by least squares. */
static double exponent(const struct growth_point p[], int n)
{
  double x = 0, y = 0, xx = 0, xy = 0;
  int count = 0;
  for (int i = 0; i < n; i++) {
    if (p[i].n < FIT_FROM) continue;
    const double lx = log((double)p[i].n), ly = log(p[i].create + p[i].commit);
    x += lx, y += ly, xx += lx * lx, xy += lx * ly;
    count++;
  }
  const double spread = count * xx - x * x;
  return spread > 0 ? (count * xy - x * y) / spread : 0;
}

static void print_time(double ns)
{
  if (ns < 1e4)
    printf(" %7.0f ns", ns);
  else if (ns < 1e7)
    printf(" %7.1f us", ns / 1e3);
  else
    printf(" %7.1f ms", ns / 1e6);
}

static void print_case(const struct growth_case *c, const struct growth_point p[], int n)
{
  const struct growth_point *last = &p[n - 1];
  const double allowed = 2.0 * (double)last->kept + (double)c->input * (double)last->n;
  printf("%-21s create", c->name);
  for (int i = 0; i < n; i++)
    print_time(p[i].create);
  printf(" %8.2f %12" PRId64 " %12ld %5.2f\n%-21s commit", exponent(p, n), last->kept, last->peak,
         (double)last->peak / allowed, "");
  for (int i = 0; i < n; i++)
    print_time(p[i].commit);
  printf("\n");
}

void growth_table(MPJ_Count most)
{
  struct growth_input in;
  growth_draw(&in, most);
  printf("%-28s", "n");
  for (MPJ_Count n = FIRST; n <= most; n *= 10)
    printf(" %10" PRId64, n);
  printf(" %8s %12s %12s %5s\n", "exponent", "bytes kept", "peak bytes", "bound");
  for (int c = 0; c < growth_ncases; c++) {
    struct growth_point points[MOST_SIZES];
    int n = 0;
    for (MPJ_Count size = FIRST; size <= most && n < MOST_SIZES; size *= 10)
      points[n++] = measure(&growth_cases[c], &in, size);
    print_case(&growth_cases[c], points, n);
    fflush(stdout);
  }
  printf("\nexponent: k of time ~ n^k, create and commit together, n >= %d. bound: peak bytes, of\n"
         "create and commit, over twice the bytes kept and the caller's arrays. The first ten\n"
         "constructors have no arrays: %d equal ones at a time, the mean.\n",
         FIT_FROM, BATCH);
}
