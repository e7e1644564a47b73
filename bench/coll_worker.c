/* This file is the worker: it runs the cases it is told on one engine, and rank
 * 0 writes a line of JSON for each.
 *
 *   {"case": "gather", "timing": "dependent", "p": 4, "bytes": 1024,
 *    "us": 3.25, "calls": 46000}
 *   {"note": "..."}    what was left out, and why
 *
 * It is run by mpj-bench, through the engine's own launcher:
 *   coll_ENGINE --ops LIST --sizes LIST --orders LIST --timings LIST
 *               --buffers WHOSE --seconds S --deadline S [--ranks N | --threads N]
 * Exit status: 0; 1 the engine failed or brought wrong data; 2 bad options. */
#include "coll_kernel.h"
#include "coll_options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { REWRITTEN_FROM_BYTES = 65536, NAME_BYTES = 64 };

/* Seconds past the deadline after which a worker that hangs is ended. */
static const double hang_grace = 60;

struct worker {
  const struct coll_options *options;
  struct coll_agreement agreement;
  double start;
  bool stopped; /* the deadline has passed */
};

static bool speaks(const struct worker *w)
{
  return w->agreement.rank == 0;
}

/* All ranks learn from rank 0 whether another case may begin. */
static int agree_to_go_on(struct worker *w)
{
  double late = coll_now() - w->start > w->options->deadline ? 1 : 0;
  if (coll_agree(&w->agreement, &late)) return 1;
  if (late > 0 && speaks(w))
    printf("{\"note\": \"stopped at the deadline of %g s\"}\n", w->options->deadline);
  w->stopped = late > 0;
  return 0;
}

/* A quarter of the machine's memory, in bytes. */
static double most_memory(void)
{
  return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 4;
}

static void report(const struct worker *w, const char *name, const struct coll_case *c, double us,
                   long calls)
{
  if (!speaks(w)) return;
  long bytes = c->op == COLL_BARRIER ? 0 : coll_shape_part(&c->shape) * (long)sizeof(double);
  printf("{\"case\": \"%s\", \"timing\": \"%s\", \"p\": %d, \"bytes\": %ld, \"us\": %.6g, "
         "\"calls\": %ld}\n",
         name, coll_timing_name(c->timing), c->nranks, bytes, us, calls);
  fflush(stdout);
}

static int run_case(struct worker *w, const char *name, enum coll_op op, enum coll_timing timing,
                    const struct coll_shape *of)
{
  struct coll_shape with_buffers = *of;
  const struct coll_shape *shape = &with_buffers;
  with_buffers.library = w->options->library;
  if (w->stopped || agree_to_go_on(w)) return !w->stopped;
  if (w->stopped) return 0;
  double memory = coll_case_memory(op, timing, shape);
  if (memory > most_memory()) {
    if (speaks(w))
      printf("{\"note\": \"%s of %ld bytes, %s, is left out: its buffers take %.1f GB\"}\n", name,
             coll_shape_part(shape) * (long)sizeof(double), coll_timing_name(timing), memory / 1e9);
    return 0;
  }
  struct coll_case c;
  double us;
  long calls;
  if (coll_case_open(&c, op, timing, shape)) return 1;
  int failed = coll_measure(&c, &w->agreement, w->options->seconds, &us, &calls);
  if (failed && speaks(w))
    fprintf(stderr, "%s: %s, %s, of %ld bytes failed\n", shim_engine, name,
            coll_timing_name(timing), coll_shape_part(shape) * (long)sizeof(double));
  if (!failed) report(w, name, &c, us, calls);
  coll_case_close(&c);
  return failed;
}

static int run_timings(struct worker *w, const char *name, enum coll_op op,
                       const struct coll_shape *shape)
{
  long bytes = coll_shape_part(shape) * (long)sizeof(double);
  for (int t = 0; t < COLL_NTIMINGS; t++) {
    if (t == COLL_REWRITTEN && bytes < REWRITTEN_FROM_BYTES) continue;
    if (w->options->timings.n > 0 && !bench_list_has(&w->options->timings, t)) continue;
    if (run_case(w, name, op, (enum coll_timing)t, shape)) return 1;
  }
  return 0;
}

static int run_sizes(struct worker *w, enum coll_family family, enum coll_op op)
{
  const struct bench_list *sizes = &w->options->sizes;
  for (int i = 0; i < sizes->n; i++) {
    struct coll_shape shape =
        coll_shape_contiguous(w->agreement.nranks, sizes->at[i] / (long)sizeof(double));
    if (run_timings(w, coll_family_names[family], op, &shape)) return 1;
  }
  return 0;
}

/* The most square grid of p processes with no more columns than rows. */
static void square_grid(long p, long *rows, long *cols)
{
  *cols = 1;
  for (long i = 1; i * i <= p; i++)
    if (p % i == 0) *cols = i;
  *rows = p / *cols;
}

/* Gather and scatter of an n x n matrix over a grid. MPI_Gatherv has one type
 * for all blocks, so the grid must divide the matrix. */
static int run_matrix(struct worker *w, const char *kind, long n, long grid_rows, long grid_cols)
{
  if (n % grid_rows || n % grid_cols) {
    if (speaks(w))
      printf("{\"note\": \"matrix %s of order %ld is left out: a %ld x %ld grid does not divide "
             "it\"}\n",
             kind, n, grid_rows, grid_cols);
    return 0;
  }
  struct coll_shape shape = {.matrix = true,
                             .grid_rows = grid_rows,
                             .grid_cols = grid_cols,
                             .rows = n / grid_rows,
                             .cols = n / grid_cols};
  char name[NAME_BYTES];
  snprintf(name, sizeof name, "gather_%s_%ld", kind, n);
  if (run_timings(w, name, COLL_GATHER, &shape)) return 1;
  snprintf(name, sizeof name, "scatter_%s_%ld", kind, n);
  return run_timings(w, name, COLL_SCATTER, &shape);
}

static int run_matrices(struct worker *w)
{
  const struct bench_list *orders = &w->options->orders;
  long rows, cols;
  square_grid(w->agreement.nranks, &rows, &cols);
  for (int i = 0; i < orders->n; i++) {
    if (run_matrix(w, "rows", orders->at[i], w->agreement.nranks, 1)) return 1;
    if (run_matrix(w, "blocks", orders->at[i], rows, cols)) return 1;
  }
  return 0;
}

/* The transpose of an n x n matrix in slabs of rows. */
static int run_transposes(struct worker *w)
{
  const struct bench_list *orders = &w->options->orders;
  for (int i = 0; i < orders->n; i++) {
    char name[NAME_BYTES];
    if (orders->at[i] % w->agreement.nranks) {
      if (speaks(w))
        printf("{\"note\": \"transpose of order %ld is left out: %d ranks do not divide it\"}\n",
               orders->at[i], w->agreement.nranks);
      continue;
    }
    struct coll_shape shape =
        coll_shape_slab(w->agreement.nranks, orders->at[i] / w->agreement.nranks);
    snprintf(name, sizeof name, "transpose_%ld", orders->at[i]);
    if (run_timings(w, name, COLL_ALLTOALL, &shape)) return 1;
  }
  return 0;
}

/* An n x n matrix from slabs of rows to blocks over the most square grid with no more rows than
 * columns. */
static int run_redistributions(struct worker *w)
{
  const struct bench_list *orders = &w->options->orders;
  const int nranks = w->agreement.nranks;
  long cols, rows;
  square_grid(nranks, &cols, &rows);
  for (int i = 0; i < orders->n; i++) {
    char name[NAME_BYTES];
    if (orders->at[i] % nranks) {
      if (speaks(w))
        printf(
            "{\"note\": \"redistribution of order %ld is left out: %d ranks do not divide it\"}\n",
            orders->at[i], nranks);
      continue;
    }
    struct coll_shape shape = coll_shape_regrouped(nranks, rows, orders->at[i]);
    snprintf(name, sizeof name, "redistribute_%ld", orders->at[i]);
    if (run_timings(w, name, COLL_ALLTOALL, &shape)) return 1;
  }
  return 0;
}

static int run_barrier(struct worker *w)
{
  struct coll_shape none = coll_shape_contiguous(w->agreement.nranks, 1);
  return run_case(w, "barrier", COLL_BARRIER, COLL_BACK_TO_BACK, &none);
}

static int run_family(struct worker *w, enum coll_family family)
{
  switch (family) {
  case COLL_FAMILY_BARRIER:
    return run_barrier(w);
  case COLL_FAMILY_MATRIX:
    return run_matrices(w);
  case COLL_FAMILY_TRANSPOSE:
    return run_transposes(w);
  case COLL_FAMILY_REDISTRIBUTE:
    return run_redistributions(w);
  default: /* the families before these are the operations, in their order */
    return run_sizes(w, family, (enum coll_op)family);
  }
}

static int rank_body(void *arg)
{
  struct worker w = {.options = arg, .start = coll_now()};
  if (w.options->nranks > 0 && shim_size() != w.options->nranks) {
    fprintf(stderr, "the job has %d ranks, %d were asked for: another MPI's launcher\n",
            shim_size(), w.options->nranks);
    return 1;
  }
  if (coll_agreement_open(&w.agreement)) return 1;
  int failed = 0;
  for (int i = 0; i < w.options->ops.n && !failed; i++)
    failed = run_family(&w, (enum coll_family)w.options->ops.at[i]);
  coll_agreement_close(&w.agreement);
  return failed;
}

static bool read_option(struct coll_options *o, const char *name, const char *text)
{
  if (!strcmp(name, "--ops")) return coll_options_ops(o, text);
  if (!strcmp(name, "--sizes")) return coll_options_sizes(o, text);
  if (!strcmp(name, "--orders")) return coll_options_orders(o, text);
  if (!strcmp(name, "--timings")) return coll_options_timings(o, text);
  if (!strcmp(name, "--buffers")) return coll_options_buffers(o, text);
  if (!strcmp(name, "--seconds")) return coll_options_seconds(o, text);
  if (!strcmp(name, "--deadline")) return coll_options_deadline(o, text);
  if (!strcmp(name, "--threads")) return coll_options_threads(o, text);
  if (!strcmp(name, "--ranks")) return coll_options_ranks(o, text);
  return false;
}

int main(int argc, char **argv)
{
  struct coll_options options = {.seconds = 0.15, .deadline = 60};
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 < argc && read_option(&options, argv[i], argv[i + 1])) continue;
    fprintf(stderr, "%s: %s %s is no option of a worker\n", argv[0], argv[i],
            i + 1 < argc ? argv[i + 1] : "");
    return 2;
  }
  alarm((unsigned)(options.deadline + hang_grace));
  return shim_run(options.nthreads, rank_body, &options) ? 1 : 0;
}
