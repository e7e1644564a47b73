/* This file prints the results as tables. */
#include "report.h"

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

/* The rows that share p and timing with rows[first], unless an earlier one does. */
static void print_table(const struct bench_results *r, const struct bench_options *o, int first,
                        int transport, FILE *f)
{
  const struct bench_row *head = &r->rows[first];
  for (int i = 0; i < first; i++)
    if (r->rows[i].p == head->p && !strcmp(r->rows[i].timing, head->timing)) return;
  print_head(o, head, bench_transport_names[transport], f);
  for (int i = first; i < r->nrows; i++)
    if (r->rows[i].p == head->p && !strcmp(r->rows[i].timing, head->timing))
      print_row(&r->rows[i], o, bench_engine_of_transport(transport), f);
}

void bench_report_table(const struct bench_results *r, const struct bench_options *o, FILE *f)
{
  for (int t = 0; t < BENCH_NTRANSPORTS; t++)
    for (int i = 0; o->transports[t] && i < r->nrows; i++)
      print_table(r, o, i, t, f);
  if (r->nrows) fprintf(f, "\nratio = peer / mpj: above 1, MPJ is faster\n");
}
