/* This file writes the results as JSON. */
#include "report.h"

#include <errno.h>
#include <jansson.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *number(bool known, double x)
{
  return known ? json_real(x) : json_null();
}

static void set_summary(json_t *object, const char *who, const struct bench_row *row,
                        struct bench_summary s)
{
  char key[BENCH_NAME_BYTES];
  snprintf(key, sizeof key, "%s_us", who);
  json_object_set_new(object, key, number(s.known, s.median));
  snprintf(key, sizeof key, "%s_min", who);
  json_object_set_new(object, key, number(s.known, s.least));
  snprintf(key, sizeof key, "%s_max", who);
  json_object_set_new(object, key, number(s.known, s.most));
  double gbs = bench_gbs(row, s.median);
  snprintf(key, sizeof key, "%s_gbs", who);
  json_object_set_new(object, key, number(gbs > 0, gbs));
}

static json_t *object(const struct bench_row *row, int transport, const char *peer,
                      const struct bench_times *peer_times)
{
  const struct bench_times none = {0};
  const struct bench_times *mpj_times = &row->times[bench_engine_of_transport(transport)];
  if (!peer_times) peer_times = &none;
  struct bench_summary mpj = bench_summarise(mpj_times), theirs = bench_summarise(peer_times);
  json_t *o = json_pack("{ss ss ss si sI ss ss si si}", "bench", "coll", "case", row->name,
                        "timing", row->timing, "p", row->p, "bytes", (json_int_t)row->bytes,
                        "transport", bench_transport_names[transport], "peer", peer, "rounds",
                        mpj_times->n, "peer_rounds", peer_times->n);
  if (!o) return NULL;
  const struct bench_ratio ratio = bench_compare(mpj_times, peer_times);
  set_summary(o, "mpj", row, mpj);
  set_summary(o, "peer", row, theirs);
  json_object_set_new(o, "ratio", number(ratio.known, ratio.median));
  json_object_set_new(o, "ratio_low", number(ratio.bounded, ratio.low));
  json_object_set_new(o, "ratio_high", number(ratio.bounded, ratio.high));
  return o;
}

static void append_row(json_t *array, const struct bench_row *row, int transport,
                       const struct bench_options *o)
{
  bool alone = true;
  for (int i = 0; i < BENCH_NPEERS; i++) {
    if (!o->peers[i]) continue;
    alone = false;
    json_array_append_new(array,
                          object(row, transport, i == BENCH_PEER_MPJ ? "mpj" : bench_peer_names[i],
                                 &row->times[bench_engine_of_peer(i, transport)]));
  }
  if (alone) json_array_append_new(array, object(row, transport, "none", NULL));
}

char *bench_report_text(const json_t *what)
{
  return json_dumps(what, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
}

/* Through a file beside it that takes its name at the end. */
int bench_report_write_text(const char *name, const char *text)
{
  char part[PATH_MAX];
  int n = snprintf(part, sizeof part, "%s.part", name);
  FILE *f = text && n < (int)sizeof part ? fopen(part, "w") : NULL;
  const bool whole = f && fputs(text, f) >= 0;
  if (f && fclose(f) == 0 && whole && rename(part, name) == 0) return 0;
  fprintf(stderr, "mpj-bench: cannot write %s: %s\n", name, strerror(errno));
  if (f) unlink(part);
  return 1;
}

int bench_report_write(const char *name, const json_t *array)
{
  char *text = bench_report_text(array);
  const int failed = bench_report_write_text(name, text);
  free(text);
  return failed;
}

int bench_report_json(const struct bench_results *r, const struct bench_options *o)
{
  json_t *array = json_array();
  for (int t = 0; t < BENCH_NTRANSPORTS; t++)
    for (int i = 0; o->transports[t] && i < r->nrows; i++)
      append_row(array, &r->rows[i], t, o);
  int failed = bench_report_write(o->json, array);
  json_decref(array);
  return failed;
}

bool bench_report_can_write(const char *name)
{
  char folder[PATH_MAX];
  int n = snprintf(folder, sizeof folder, "%s", name);
  if (n < (int)sizeof folder && access(dirname(folder), W_OK) == 0) return true;
  fprintf(stderr, "mpj-bench: cannot write %s: %s\n", name, strerror(errno));
  return false;
}
