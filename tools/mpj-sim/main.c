/* This file is mpj-sim: it runs a collective on a simulated machine. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll/select/algorithms.h"
#include "options.h"
#include "report.h"
#include "sweep.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

static bool write_one(bool written, const char *path)
{
  if (!written) fprintf(stderr, "mpj-sim: %s could not be written: %s\n", path, strerror(errno));
  return written;
}

static bool write_files(const struct options *o, const struct result *r)
{
  bool good = true;
  if (o->csv) good &= write_one(report_csv(r, o->csv), o->csv);
  if (o->json) good &= write_one(report_json(&o->run, r, o->cost, o->json), o->json);
  if (o->svg) good &= write_one(report_svg(&o->run, r, o->svg), o->svg);
  return good;
}

/* Who watches messages; NULL: nobody. */
struct watchers {
  struct trace *trace;
  FILE *messages;
};

static void see(void *ctx, const struct mpj_sim_seen *seen)
{
  const struct watchers *w = ctx;
  if (w->trace) trace_see(w->trace, seen);
  if (w->messages) messages_see(w->messages, seen);
}

static bool close_messages(FILE *f)
{
  const bool good = ferror(f) == 0;
  return fclose(f) == 0 && good;
}

static int run(const struct options *o)
{
  struct result r;
  struct watchers w = {.trace = o->trace ? trace_begin(o->trace, o->trace_ranks) : NULL};
  struct trace *const trace = w.trace;
  if (o->trace && !write_one(trace != NULL, o->trace)) return EXIT_FAILED;
  w.messages = o->messages ? fopen(o->messages, "w") : NULL;
  if (o->messages && !write_one(w.messages != NULL, o->messages)) return EXIT_FAILED;
  if (w.messages) messages_begin(w.messages);
  const int status = run_program(&o->run, trace || w.messages ? see : NULL, &w, &r);
  const bool listed = !w.messages || write_one(close_messages(w.messages), o->messages);
  if (status != MPJ_SUCCESS) {
    static const struct result none;
    if (trace) trace_end(trace, &o->run, &none);
    fprintf(stderr, "mpj-sim: %s\n", MPJ_Error_detail());
    return status == MPJ_ERR_ARG ? EXIT_USAGE : EXIT_FAILED;
  }
  if (!o->quiet) report_table(&o->run, &r, stdout);
  bool good = write_files(o, &r) && listed;
  if (trace) good &= write_one(trace_end(trace, &o->run, &r), o->trace);
  const bool failed = r.failed > 0 && o->run.ndeaths == 0;
  if (failed) fprintf(stderr, "mpj-sim: %d ranks failed: %s\n", r.failed, r.why);
  result_end(&r);
  return good && !failed ? EXIT_OK : EXIT_FAILED;
}

int main(int argc, char **argv)
{
  struct options o;
  int code = options_read(argc, argv, &o);
  if (code < 0) {
    char name[MPJ_VARIABLE_BYTES];
    if (o.command == RUN && o.nalgorithms > 0) /* before the library looks at them */
      setenv(mpj_operation_variable(o.run.operation, name), o.algorithms[o.nalgorithms - 1], 1);
    code = o.command == RUN ? run(&o) : sweep(&o, o.command == TUNE);
  }
  options_end(&o);
  return code;
}
