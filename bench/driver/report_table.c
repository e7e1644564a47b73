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
    if (o->peers[i])
      fprintf(f, "  %10s %7s %-14s", i == BENCH_PEER_MPJ ? "other mpj" : bench_peer_names[i],
              "ratio", "(95 %)");
  fputc('\n', f);
}

static void print_peer(const struct bench_times *mpj, const struct bench_times *peer, FILE *f)
{
  const struct bench_summary theirs = bench_summarise(peer);
  const struct bench_ratio ratio = bench_compare(mpj, peer);
  char interval[BENCH_NAME_BYTES] = "";
  if (theirs.known)
    fprintf(f, "  %10.2f", theirs.median);
  else
    fprintf(f, "  %10s", "-");
  if (ratio.known)
    fprintf(f, " %7.2f", ratio.median);
  else
    fprintf(f, " %7s", "-");
  if (ratio.bounded) snprintf(interval, sizeof interval, "(%.2f .. %.2f)", ratio.low, ratio.high);
  fprintf(f, " %-14s", interval);
}

static void print_row(const struct bench_row *row, const struct bench_options *o, int transport,
                      FILE *f)
{
  const struct bench_times *ours = &row->times[bench_engine_of_transport(transport)];
  struct bench_summary mpj = bench_summarise(ours);
  char spread[BENCH_NAME_BYTES];
  fprintf(f, "%-19s %9ld", row->name, row->bytes);
  if (mpj.known) {
    snprintf(spread, sizeof spread, "(%.2f .. %.2f)", mpj.least, mpj.most);
    fprintf(f, "  %10.2f %24s %7.2f", mpj.median, spread, bench_gbs(row, mpj.median));
  } else {
    fprintf(f, "  %10s %24s %7s", "-", "", "-");
  }
  for (int i = 0; i < BENCH_NPEERS; i++)
    if (o->peers[i]) print_peer(ours, &row->times[bench_engine_of_peer(i, transport)], f);
  fputc('\n', f);
}

/* The ratio with the fastest peer, or 0 if there is none. */
static double best_ratio(const struct bench_row *row, const struct bench_options *o, int transport)
{
  const struct bench_times *ours = &row->times[bench_engine_of_transport(transport)], *best = NULL;
  double least = 0;
  for (int i = 0; i < BENCH_NPEERS; i++) {
    const struct bench_times *theirs = &row->times[bench_engine_of_peer(i, transport)];
    const struct bench_summary peer = bench_summarise(theirs);
    if (!o->peers[i] || !peer.known || (best && peer.median >= least)) continue;
    best = theirs;
    least = peer.median;
  }
  return best ? bench_compare(ours, best).median : 0;
}

static bool belongs(const struct bench_row *row, const struct bench_row *head)
{
  return row->p == head->p && !strcmp(row->timing, head->timing);
}

/* Below a table: against the fastest peer of each row. */
static void print_summary(const struct bench_results *r, const struct bench_options *o, int first,
                          int transport, FILE *f)
{
  const struct bench_row *worst = NULL;
  double logs = 0, least = 0;
  int n = 0;
  for (int i = first; i < r->nrows; i++) {
    const double ratio =
        belongs(&r->rows[i], &r->rows[first]) ? best_ratio(&r->rows[i], o, transport) : 0;
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
  for (int i = 0; i < first; i++)
    if (belongs(&r->rows[i], head)) return;
  print_head(o, head, bench_transport_names[transport], f);
  for (int i = first; i < r->nrows; i++)
    if (belongs(&r->rows[i], head)) print_row(&r->rows[i], o, transport, f);
  print_summary(r, o, first, transport, f);
}

void bench_report_table(const struct bench_results *r, const struct bench_options *o, FILE *f)
{
  for (int t = 0; t < BENCH_NTRANSPORTS; t++)
    for (int i = 0; o->transports[t] && i < r->nrows; i++)
      print_table(r, o, i, t, f);
  if (r->nrows)
    fprintf(f, "\nratio = peer / mpj, the median over the rounds: above 1, MPJ is faster\n");
}
