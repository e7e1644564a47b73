/* This file writes the results of `mpj-bench interop` as JSON. */
#include "interop_report.h"
#include "report.h"

#include <jansson.h>

static void set(json_t *object, const char *way, const char *what, bool known, double us)
{
  char key[BENCH_NAME_BYTES];
  snprintf(key, sizeof key, "%s_%s", way, what);
  json_object_set_new(object, key, known ? json_real(us) : json_null());
}

static json_t *object(enum interop_row kind, int mpi, const struct bench_row *row)
{
  static const char *const ways[INTEROP_WAYS] = {"mpj", "beside", "waits"};
  struct bench_summary found[INTEROP_WAYS];
  json_t *o = json_pack("{ss ss ss ss ss si sI}", "bench", "interop", "row",
                        interop_row_names[kind], "mpi", bench_peer_names[mpi], "case", row->name,
                        "timing", row->timing, "p", row->p, "bytes", (json_int_t)row->bytes);
  if (!o) return NULL;
  for (int way = 0; way < INTEROP_WAYS; way++) {
    const struct bench_summary x = found[way] = bench_summarise(&row->times[way]);
    set(o, ways[way], "us", x.known, x.median);
    set(o, ways[way], "min", x.known, x.least);
    set(o, ways[way], "max", x.known, x.most);
  }
  const bool both = found[INTEROP_MPJ].known && found[INTEROP_BESIDE].known;
  json_object_set_new(o, "ratio",
                      both ? json_real(found[INTEROP_BESIDE].median / found[INTEROP_MPJ].median)
                           : json_null());
  json_object_set_new(o, "rounds", json_integer(row->times[INTEROP_MPJ].n));
  return o;
}

int interop_report_json(const struct interop_session *s)
{
  json_t *array = json_array();
  for (int kind = 0; kind < INTEROP_ROWS; kind++)
    for (int mpi = 0; mpi < BENCH_NPEERS; mpi++) {
      const struct bench_results *r = &s->results[kind][mpi];
      for (int i = 0; i < r->nrows; i++)
        json_array_append_new(array, object((enum interop_row)kind, mpi, &r->rows[i]));
    }
  const int failed = bench_report_write(s->options.json, array);
  json_decref(array);
  return failed;
}
