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

static int run(const struct options *o)
{
  struct result r;
  struct trace *trace = o->trace ? trace_begin(o->trace, o->trace_ranks) : NULL;
  if (o->trace && !write_one(trace != NULL, o->trace)) return EXIT_FAILED;
  const int status = run_program(&o->run, trace ? trace_see : NULL, trace, &r);
  if (status != MPJ_SUCCESS) {
    static const struct result none;
    if (trace) trace_end(trace, &o->run, &none);
    fprintf(stderr, "mpj-sim: %s\n", MPJ_Error_detail());
    return status == MPJ_ERR_ARG ? EXIT_USAGE : EXIT_FAILED;
  }
  if (!o->quiet) report_table(&o->run, &r, stdout);
  bool good = write_files(o, &r);
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
    if (o.command == RUN && o.algorithm) /* before the library looks at them */
      setenv(mpj_operation_variable(o.run.operation, name), o.algorithm, 1);
    code = o.command == RUN ? run(&o) : sweep(&o, o.command == TUNE);
  }
  options_end(&o);
  return code;
}
