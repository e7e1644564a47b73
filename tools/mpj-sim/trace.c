/* This file writes a run as a trace that Perfetto shows: a line a rank. */
#include <inttypes.h>

#include "base/memory.h"
#include "report.h"

struct trace {
  FILE *f;
  int ranks;
  uint64_t arrows;
};

/* Times are microseconds there; a picosecond has six digits behind the point. */
static void print_us(FILE *f, const char *key, int64_t ps)
{
  fprintf(f, "\"%s\": %" PRId64 ".%06" PRId64, key, ps / 1000000, ps % 1000000);
}

struct trace *trace_begin(FILE *f, int ranks)
{
  struct trace *t = mpj_alloc_array(1, sizeof *t);
  if (!t) return NULL;
  t->f = f;
  t->ranks = ranks;
  fprintf(t->f, "[{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 0, \"args\": {\"name\": "
                "\"simulated ranks\"}}");
  return t;
}

void trace_see(void *trace, const struct mpj_sim_seen *m)
{
  struct trace *t = trace;
  if (m->from >= t->ranks || m->to >= t->ranks) return;
  for (int end = 0; end < 2; end++) {
    fprintf(t->f,
            ",\n{\"ph\": \"%s\", \"name\": \"message\", \"cat\": \"simulated\", \"id\": %" PRIu64
            ", \"pid\": 0, \"tid\": %d, ",
            end == 0 ? "s" : "f", t->arrows, end == 0 ? m->from : m->to);
    print_us(t->f, "ts", end == 0 ? m->begun_ps : m->ended_ps);
    fprintf(t->f, ", \"args\": {\"bytes\": %" PRId64 "}}", m->bytes);
  }
  t->arrows++;
}

void trace_end(struct trace *t, const struct run_options *o, const struct result *r)
{
  FILE *f = t->f;
  for (int i = 0; i < t->ranks && i < r->ranks; i++) {
    if (r->of[i].left_ps < 0) continue;
    fprintf(
        f, ",\n{\"ph\": \"X\", \"name\": \"%s\", \"cat\": \"simulated\", \"pid\": 0, \"tid\": %d, ",
        mpj_operation_name(o->operation), i);
    print_us(f, "ts", r->of[i].entered_ps);
    fprintf(f, ", ");
    print_us(f, "dur", r->of[i].left_ps - r->of[i].entered_ps);
    fprintf(f, "}");
  }
  fprintf(f, "]\n");
  mpj_free(t);
}
