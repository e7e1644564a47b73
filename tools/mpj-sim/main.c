/* This file is mpj-sim: it runs a collective on a simulated machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll/select/algorithms.h"
#include "files.h"
#include "options.h"
#include "report.h"
#include "sweep.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* What a run writes. */
enum { CSV, JSON, SVG, TRACE, MESSAGES, FILES };

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

static int exit_code(int status)
{
  if (status == MPJ_SUCCESS) return EXIT_OK;
  fprintf(stderr, "mpj-sim: %s\n", MPJ_Error_detail());
  return status == MPJ_ERR_ARG ? EXIT_USAGE : EXIT_FAILED;
}

static void write_all(const struct options *o, const struct result *r, struct file files[])
{
  if (!o->quiet) report_table(&o->run, r, stdout);
  if (files[CSV].f) report_csv(r, files[CSV].f);
  if (files[JSON].f) report_json(&o->run, r, o->cost, files[JSON].f);
  if (files[SVG].f) report_svg(&o->run, r, files[SVG].f);
}

/* Whether it is what was asked for, and all ranks' calls succeeded that could. */
static bool is_good(const struct options *o, const struct result *r)
{
  const char *word = o->nalgorithms > 0 ? o->algorithms[0] : "auto";
  if (!result_is_of(r, word)) {
    fprintf(stderr, "mpj-sim: --algorithm: %s is not possible for this call, %s ran\n", word,
            r->algorithm);
    return false;
  }
  if (r->failed == 0 || o->run.ndeaths > 0) return true;
  fprintf(stderr, "mpj-sim: %d ranks failed: %s\n", r->failed, r->why);
  return false;
}

static int run_into(const struct options *o, struct file files[])
{
  static const struct result none;
  struct result r;
  struct watchers w = {.messages = files[MESSAGES].f};
  if (files[TRACE].f) {
    w.trace = trace_begin(files[TRACE].f, o->trace_ranks);
    if (!w.trace) {
      fprintf(stderr, "mpj-sim: no memory for a trace\n");
      return EXIT_FAILED;
    }
  }
  if (w.messages) messages_begin(w.messages);
  const int status = run_program(&o->run, w.trace || w.messages ? see : NULL, &w, &r);
  if (w.trace) trace_end(w.trace, &o->run, status == MPJ_SUCCESS ? &r : &none);
  if (status != MPJ_SUCCESS) return exit_code(status);
  write_all(o, &r, files);
  const bool good = is_good(o, &r);
  result_end(&r);
  return good ? EXIT_OK : EXIT_FAILED;
}

static int run(const struct options *o)
{
  struct file files[FILES] = {[CSV] = {"csv", o->csv, NULL},
                              [JSON] = {"json", o->json, NULL},
                              [SVG] = {"svg", o->svg, NULL},
                              [TRACE] = {"trace", o->trace, NULL},
                              [MESSAGES] = {"messages", o->messages, NULL}};
  char name[MPJ_VARIABLE_BYTES];
  if (o->nalgorithms > 0) /* before the library looks at them */
    setenv(mpj_operation_variable(o->run.operation, name), o->algorithms[0], 1);
  int code = exit_code(run_check(&o->run));
  if (code != EXIT_OK) return code;
  if (!files_open(files, FILES)) return EXIT_USAGE;
  code = run_into(o, files);
  if (!files_close(files, FILES) && code == EXIT_OK) code = EXIT_FAILED;
  return code;
}

/* A million ranks lie in as many pages, more than a processor has translations of. The C library
 * asks for huge ones if this variable says so when it is started. */
static void use_huge_pages(char **argv)
{
  static const char name[] = "GLIBC_TUNABLES", value[] = "glibc.malloc.hugetlb=1";
  const char *now = getenv(name);
  if (now && strcmp(now, value) == 0) unsetenv(name); /* not for who is started from here */
  if (now || setenv(name, value, 1) != 0) return;
  execv("/proc/self/exe", argv);
  unsetenv(name);
}

int main(int argc, char **argv)
{
  struct options o;
  use_huge_pages(argv);
  int code = options_read(argc, argv, &o);
  if (code < 0) code = o.command == RUN ? run(&o) : sweep(&o, o.command == TUNE);
  options_end(&o);
  if (code == EXIT_OK) return code;
  fflush(NULL);
  _exit(code); /* without what looks for memory that a failed run has not given back */
}
