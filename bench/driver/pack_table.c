/* This file prints the results of packing as tables. */
#include "pack_report.h"

static bool is_pieces(enum pack_row row)
{
  return row == PACK_ROW_FORWARD || row == PACK_ROW_BACKWARD || row == PACK_ROW_RANDOM;
}

static bool is_mpi(int peer, const struct pack_command *c)
{
  return c->peers[peer] && peer != PACK_OTHER_MPJ;
}

static const char *reference_name(enum pack_row row)
{
  return is_pieces(row) ? "whole" : "hand";
}

static void print_head(enum pack_row row, enum pack_size size, const struct pack_command *c,
                       FILE *f)
{
  fprintf(f, "\n%s, %s: GB/s at best, and as a fraction of %s\n", pack_row_names[row],
          pack_size_names[size], reference_name(row));
  fprintf(f, "%-17s %9s %8s %8s %8s %7s", "pattern", "bytes", "memcpy", reference_name(row), "mpj",
          "ratio");
  for (int i = 0; i < PACK_NPEERS; i++)
    if (is_mpi(i, c)) fprintf(f, " %8s", pack_peer_names[i]);
  if (c->peers[PACK_OTHER_MPJ]) fprintf(f, " %8s %15s", "mpj:", "95 %");
  fputc('\n', f);
}

static void print_number(double x, int width, FILE *f)
{
  if (x > 0)
    fprintf(f, " %*.2f", width, x);
  else
    fprintf(f, " %*s", width, "-");
}

/* The other build's time over ours, and the interval. */
static void print_other(const struct pack_result *one, FILE *f)
{
  const struct bench_ratio r = pack_compare(one);
  print_number(r.median, 8, f);
  if (r.bounded)
    fprintf(f, "   %5.2f to %5.2f", r.low, r.high);
  else
    fprintf(f, " %15s", "-");
}

static void print_case(const struct pack_result *one, const struct pack_command *c, FILE *f)
{
  const struct pack_times *mpj = &one->times[PACK_BY_MPJ];
  fprintf(f, "%-17s %9ld", one->name, one->bytes);
  print_number(pack_gbs(one->bytes, &mpj->copy), 8, f);
  print_number(pack_gbs(one->bytes, &mpj->hand), 8, f);
  print_number(pack_gbs(one->bytes, &mpj->engine), 8, f);
  print_number(pack_ratio(mpj), 7, f);
  for (int i = 0; i < PACK_NPEERS; i++)
    if (is_mpi(i, c)) print_number(pack_ratio(&one->times[pack_engine_of_peer(i)]), 8, f);
  if (c->peers[PACK_OTHER_MPJ]) print_other(one, f);
  if (one->row == PACK_ROW_SMALL && mpj->engine.n) {
    fprintf(f, "   mpj %.1f ns", 1e3 * mpj->engine.best);
    for (int i = 0; i < PACK_NPEERS; i++) {
      const struct pack_series *s = &one->times[pack_engine_of_peer(i)].engine;
      if (s->n) fprintf(f, ", %s %.1f ns", pack_peer_names[i], 1e3 * s->best);
    }
  }
  fputc('\n', f);
}

static void print_summary(const char *name, double mpj, const double peers[PACK_NPEERS],
                          const struct pack_command *c, const char *note, FILE *f)
{
  fprintf(f, "%-17s %9s %8s %8s %8s", name, "", "", "", "");
  print_number(mpj, 7, f);
  for (int i = 0; i < PACK_NPEERS; i++)
    if (is_mpi(i, c)) print_number(peers[i], 8, f);
  if (c->peers[PACK_OTHER_MPJ]) print_number(peers[PACK_OTHER_MPJ], 8, f);
  fprintf(f, "%s%s\n", note ? "   mpj's: " : "", note ? note : "");
}

static void print_summaries(const struct pack_results *r, enum pack_row row, enum pack_size size,
                            const struct pack_command *c, FILE *f)
{
  struct pack_summary mpj = pack_summarise(r, row, size, PACK_BY_MPJ);
  double means[PACK_NPEERS], worsts[PACK_NPEERS];
  for (int i = 0; i < PACK_NPEERS; i++) {
    struct pack_summary peer = i == PACK_OTHER_MPJ
                                   ? pack_summarise_other(r, row, size)
                                   : pack_summarise(r, row, size, pack_engine_of_peer(i));
    means[i] = peer.mean;
    worsts[i] = peer.worst;
  }
  if (mpj.n < 2) return;
  print_summary("geometric mean", mpj.mean, means, c, NULL, f);
  print_summary("worst", mpj.worst, worsts, c, mpj.worst_name, f);
}

static void print_table(const struct pack_results *r, enum pack_row row, enum pack_size size,
                        const struct pack_command *c, FILE *f)
{
  bool any = false;
  for (int i = 0; i < r->n; i++) {
    if (r->all[i].row != row || r->all[i].size != size) continue;
    if (!any) print_head(row, size, c, f);
    any = true;
    print_case(&r->all[i], c, f);
  }
  if (any) print_summaries(r, row, size, c, f);
}

void pack_report_table(const struct pack_results *r, const struct pack_command *c, FILE *f)
{
  for (int row = 0; row < PACK_NROWS; row++)
    for (int size = 0; size < PACK_NSIZES; size++)
      print_table(r, (enum pack_row)row, (enum pack_size)size, c, f);
}
