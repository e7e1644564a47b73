/* This file prints the results as tables. */
#include "report.h"

#include <math.h>
#include <string.h>

static void print_head(const struct bench_options *o, const struct bench_row *row,
                       const char *transport, FILE *f)
{
  fprintf(f, "\np = %d, %s, %s: us an operation, median (least .. most)\n", row->p, transport,
          row->timing);
  fprintf(f, "%-19s %9s  %10s %24s %7s", "case", "bytes", "mpj", "", "GB/s");
  for (int i = 0; i < BENCH_NPEERS; i++)
    if (o->peers[i]) fprintf(f, "  %10s %7s", bench_peer_names[i], "ratio");
  fputc('\n', f);
}

static void print_peer(struct bench_summary mpj, struct bench_summary peer, FILE *f)
{
  if (!peer.known) {
    fprintf(f, "  %10s %7s", "-", "-");
    return;
  }
  fprintf(f, "  %10.2f", peer.median);
  if (mpj.known)
    fprintf(f, " %7.2f", peer.median / mpj.median);
  else
    fprintf(f, " %7s", "-");
}

static void print_row(const struct bench_row *row, const struct bench_options *o,
                      enum bench_engine e, FILE *f)
{
  struct bench_summary mpj = bench_summarise(&row->times[e]);
  char spread[BENCH_NAME_BYTES];
  fprintf(f, "%-19s %9ld", row->name, row->bytes);
  if (mpj.known) {
    snprintf(spread, sizeof spread, "(%.2f .. %.2f)", mpj.least, mpj.most);
    fprintf(f, "  %10.2f %24s %7.2f", mpj.median, spread, bench_gbs(row, mpj.median));
  } else {
    fprintf(f, "  %10s %24s %7s", "-", "", "-");
  }
  for (int i = 0; i < BENCH_NPEERS; i++)
    if (o->peers[i]) print_peer(mpj, bench_summarise(&row->times[bench_engine_of_peer(i)]), f);
  fputc('\n', f);
}

/* The time of the fastest peer over MPJ's, or 0 if either is unknown. */
static double best_ratio(const struct bench_row *row, const struct bench_options *o,
                         enum bench_engine e)
{
  const struct bench_summary mpj = bench_summarise(&row->times[e]);
  double best = 0;
  for (int i = 0; i < BENCH_NPEERS; i++) {
    const struct bench_summary peer = bench_summarise(&row->times[bench_engine_of_peer(i)]);
    if (o->peers[i] && peer.known && (best == 0 || peer.median < best)) best = peer.median;
  }
  return mpj.known ? best / mpj.median : 0;
}

static bool belongs(const struct bench_row *row, const struct bench_row *head)
{
  return row->p == head->p && !strcmp(row->timing, head->timing);
}

/* Below a table: against the fastest peer of each row. */
static void print_summary(const struct bench_results *r, const struct bench_options *o, int first,
                          enum bench_engine e, FILE *f)
{
  const struct bench_row *worst = NULL;
  double logs = 0, least = 0;
  int n = 0;
  for (int i = first; i < r->nrows; i++) {
    const double ratio = belongs(&r->rows[i], &r->rows[first]) ? best_ratio(&r->rows[i], o, e) : 0;
    if (ratio <= 0) continue;
    logs += log(ratio);
    n++;
    if (worst && ratio >= least) continue;
    worst = &r->rows[i];
    least = ratio;
  }
  if (n > 0)
    fprintf(f, "fastest peer / mpj: geometric mean %.2f over %d rows, least %.2f (%s, %ld bytes)\n",
            exp(logs / n), n, least, worst->name, worst->bytes);
}

/* The rows that share p and timing with rows[first], unless an earlier one does. */
static void print_table(const struct bench_results *r, const struct bench_options *o, int first,
                        int transport, FILE *f)
{
  const struct bench_row *head = &r->rows[first];
  const enum bench_engine e = bench_engine_of_transport(transport);
  for (int i = 0; i < first; i++)
    if (belongs(&r->rows[i], head)) return;
  print_head(o, head, bench_transport_names[transport], f);
  for (int i = first; i < r->nrows; i++)
    if (belongs(&r->rows[i], head)) print_row(&r->rows[i], o, e, f);
  print_summary(r, o, first, e, f);
}

void bench_report_table(const struct bench_results *r, const struct bench_options *o, FILE *f)
{
  for (int t = 0; t < BENCH_NTRANSPORTS; t++)
    for (int i = 0; o->transports[t] && i < r->nrows; i++)
      print_table(r, o, i, t, f);
  if (r->nrows) fprintf(f, "\nratio = peer / mpj: above 1, MPJ is faster\n");
}
