/* This file tells of a run: as a table, as CSV, as JSON. */
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "machines.h"

static int by_value(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Least, median and most of the time that ranks were in their calls; -1: none left. */
static void spread(const struct result *r, int64_t out[3])
{
  int n = 0;
  int64_t *times = mpj_alloc_array((size_t)r->ranks, sizeof *times);
  out[0] = out[1] = out[2] = -1;
  for (int i = 0; times && i < r->ranks; i++)
    if (r->of[i].left_ps >= 0) times[n++] = r->of[i].left_ps - r->of[i].entered_ps;
  if (n > 0) {
    qsort(times, (size_t)n, sizeof *times, by_value);
    out[0] = times[0];
    out[1] = times[(n - 1) / 2];
    out[2] = times[n - 1];
  }
  mpj_free(times);
}

void report_table(const struct run_options *o, const struct result *r, FILE *out)
{
  char text[4][32];
  int64_t times[3];
  spread(r, times);
  machine_print(&o->machine, out);
  fprintf(out, "simulated %s of %lld bytes, root %d, %d times, seed %" PRIu64 "\n",
          mpj_operation_name(o->operation), (long long)r->bytes, o->root, o->repeat, o->seed);
  if (r->algorithm) fprintf(out, "  %-24s %s\n", "algorithm", r->algorithm);
  if (r->is_virtual)
    fprintf(out, "  %-24s virtual: origin, place and digest of each byte were checked\n",
            "payload");
  fprintf(out, "  %-24s %s\n", "the last rank left at", text_of_time(r->last_ps, text[0]));
  if (times[0] >= 0)
    fprintf(out, "  %-24s least %s, median %s, most %s\n", "time of a rank",
            text_of_time(times[0], text[0]), text_of_time(times[1], text[1]),
            text_of_time(times[2], text[2]));
  fprintf(out, "  %-24s %" PRIu64 ", and %" PRIu64 " pulls; %lld bytes in all\n", "messages",
          r->counts.messages, r->counts.pulls, (long long)r->counts.bytes);
  if (o->machine.kind != MPJ_SIM_FLAT)
    fprintf(out, "  %-24s %lld; the busiest carried %lld bytes; waited for %s in all\n", "links",
            (long long)r->counts.hops, (long long)r->counts.busiest_link_bytes,
            text_of_time(r->counts.waited_ps, text[3]));
  if (r->failed > 0)
    fprintf(out, "  %-24s on %d ranks; the first: %s\n", "errors", r->failed, r->why);
  fprintf(out,
          "this simulation took %.2f s, %.2f s of them between the first call and the last: %.2f "
          "million messages a second, %.2f million events; %.1f KiB a rank (%.1f MiB in all)\n",
          r->seconds, r->loop_seconds, (double)r->counts.messages / r->loop_seconds / 1e6,
          (double)r->counts.events / r->loop_seconds / 1e6, (double)r->peak_bytes / r->ranks / 1024,
          (double)r->peak_bytes / (1 << 20));
}

void report_csv(const struct result *r, FILE *f)
{
  fprintf(f, "rank,entered_ps,left_ps,sent,received\n");
  for (int i = 0; i < r->ranks; i++)
    fprintf(f, "%d,%" PRId64 ",%" PRId64 ",%" PRIu64 ",%" PRIu64 "\n", i, r->of[i].entered_ps,
            r->of[i].left_ps, r->of[i].counts.sent, r->of[i].counts.received);
}

/* Where neighbourhoods choose a protocol: how many messages went by each, and who sent by the FIFO.
 */
static void print_neighbourhoods(const struct result *r, FILE *f)
{
  uint64_t put = 0, fifo = 0;
  for (int i = 0; i < r->ranks; i++) {
    put += r->of[i].put;
    fifo += r->of[i].fifo;
  }
  if (put + fifo == 0) return;
  fprintf(f, " \"put\": %" PRIu64 ", \"fifo\": %" PRIu64 ", \"fifo_from\": [", put, fifo);
  const char *comma = "";
  for (int i = 0; i < r->ranks; i++) {
    if (r->of[i].fifo == 0) continue;
    fprintf(f, "%s%d", comma, i);
    comma = ", ";
  }
  fprintf(f, "],\n");
}

void report_json(const struct run_options *o, const struct result *r, bool cost, FILE *f)
{
  int64_t times[3];
  spread(r, times);
  fprintf(f,
          "{\"simulated\": true, \"operation\": \"%s\", \"ranks\": %d, \"bytes\": %lld, "
          "\"root\": %d, \"repeat\": %d, \"seed\": %" PRIu64 ",\n",
          mpj_operation_name(o->operation), r->ranks, (long long)r->bytes, o->root, o->repeat,
          o->seed);
  if (r->is_virtual) fprintf(f, " \"payload\": \"virtual\",\n");
  if (r->algorithm) fprintf(f, " \"algorithm\": \"%s\",\n", r->algorithm);
  fprintf(f,
          " \"last_ps\": %" PRId64 ", \"least_ps\": %" PRId64 ", \"median_ps\": %" PRId64
          ", \"most_ps\": %" PRId64 ",\n",
          r->last_ps, times[0], times[1], times[2]);
  fprintf(f,
          " \"messages\": %" PRIu64 ", \"pulls\": %" PRIu64 ", \"message_bytes\": %lld, "
          "\"hops\": %lld, \"waited_ps\": %lld, \"busiest_link_bytes\": %lld,\n",
          r->counts.messages, r->counts.pulls, (long long)r->counts.bytes,
          (long long)r->counts.hops, (long long)r->counts.waited_ps,
          (long long)r->counts.busiest_link_bytes);
  print_neighbourhoods(r, f);
  fprintf(f, " \"events\": %" PRIu64 ", \"failed\": %d", r->counts.events, r->failed);
  if (cost)
    fprintf(f, ", \"peak_bytes\": %lld, \"seconds\": %.6f, \"loop_seconds\": %.6f",
            (long long)r->peak_bytes, r->seconds, r->loop_seconds);
  fprintf(f, "}\n");
}
