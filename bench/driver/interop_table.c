/* This file prints the results of `mpj-bench interop` as tables. */
#include "interop_report.h"

#include <math.h>

static const char *const titles[INTEROP_ROWS] = {
    "MPJ_Type_from_mpi and MPJ_Type_free; beside: making and freeing the type in MPI",
    "the interposed call; beside: MPJ's own", "under the interposer; beside: the MPI library alone",
    "the program under the interposer; beside: alone; waits: the interposer serves nothing"};

static void print_summary(struct bench_summary x, FILE *f)
{
  char spread[BENCH_NAME_BYTES];
  snprintf(spread, sizeof spread, "(%.3g .. %.3g)", x.least, x.most);
  if (x.known)
    fprintf(f, " %12.3f %-20s", x.median, spread);
  else
    fprintf(f, " %12s %-20s", "-", "");
}

static void print_row(const struct bench_row *row, bool waits, FILE *f)
{
  const struct bench_summary mpj = bench_summarise(&row->times[INTEROP_MPJ]);
  const struct bench_summary beside = bench_summarise(&row->times[INTEROP_BESIDE]);
  fprintf(f, "%-20s %-12s %3d %8ld", row->name, row->timing, row->p, row->bytes);
  print_summary(mpj, f);
  print_summary(beside, f);
  if (waits) print_summary(bench_summarise(&row->times[INTEROP_WAITS]), f);
  if (mpj.known && beside.known)
    fprintf(f, " %7.2f %+9.3f", beside.median / mpj.median, mpj.median - beside.median);
  fputc('\n', f);
}

/* The geometric mean of the ratios, and the least of them, of one p; of all: p = 0. */
static void print_means(const struct bench_results *r, int p, FILE *f)
{
  const struct bench_row *worst = NULL;
  double logs = 0, least = 0;
  int n = 0, slow = 0;
  for (int i = 0; i < r->nrows; i++) {
    const struct bench_row *row = &r->rows[i];
    const struct bench_summary mpj = bench_summarise(&row->times[INTEROP_MPJ]);
    const struct bench_summary beside = bench_summarise(&row->times[INTEROP_BESIDE]);
    if ((p > 0 && row->p != p) || !mpj.known || !beside.known) continue;
    const double ratio = beside.median / mpj.median;
    logs += log(ratio);
    n++;
    slow += ratio < 0.9;
    if (worst && ratio >= least) continue;
    worst = row;
    least = ratio;
  }
  if (n == 0) return;
  fprintf(f, p > 0 ? "p = %d: " : "all: ", p);
  fprintf(f, "geometric mean %.2f over %d rows, %d below .9, least %.2f (%s, p = %d, %ld bytes)\n",
          exp(logs / n), n, slow, least, worst->name, worst->p, worst->bytes);
}

static void print_table(const struct interop_session *s, int kind, int mpi, FILE *f)
{
  const struct bench_results *r = &s->results[kind][mpi];
  const bool waits = kind == INTEROP_PROGRAM;
  if (r->nrows == 0) return;
  fprintf(f, "\n%s, %s: %s; us, median (least .. most)\n", interop_row_names[kind],
          bench_peer_names[mpi], titles[kind]);
  fprintf(f, "%-20s %-12s %3s %8s %12s %-20s %12s %-20s", "case", "timing", "p", "bytes", "mpj", "",
          "beside", "");
  if (waits) fprintf(f, " %12s %-20s", "waits", "");
  fprintf(f, " %7s %9s\n", "ratio", "more");
  for (int i = 0; i < r->nrows; i++)
    print_row(&r->rows[i], waits, f);
  if (kind != INTEROP_COLL) return;
  for (int i = 0; i < s->options.p.n; i++)
    print_means(r, (int)s->options.p.at[i], f);
  print_means(r, 0, f);
}

void interop_report_table(const struct interop_session *s, FILE *f)
{
  for (int kind = 0; kind < INTEROP_ROWS; kind++)
    for (int mpi = 0; mpi < BENCH_NPEERS; mpi++)
      print_table(s, kind, mpi, f);
  fprintf(f, "\nratio = beside / mpj: above 1, by way of MPJ is faster; more = mpj - beside\n");
}
