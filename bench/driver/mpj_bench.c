/* This file is mpj-bench: it runs the workers of all engines in turn, round by
 * round, and shows the medians.
 *
 * Exit status: 0; 1 MPJ failed somewhere, a peer that --peers names is missing, or the
 * results could not be written; 2 a wrong command line. A peer that fails costs its column only. */
#include "am_bench.h"
#include "array_bench.h"
#include "interop_bench.h"
#include "launch.h"
#include "pack_bench.h"
#include "report.h"
#include "tune.h"
#include "worker_bench.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct session {
  struct bench_options options;
  struct bench_results results;
  bool dropped[BENCH_NENGINES]; /* missing, or failed at this p */
  bool missing[BENCH_NENGINES];
  bool failed;
  int round;
};

/* Whose lines are being read. */
struct source {
  struct session *session;
  enum bench_engine engine;
  int p;
};

static void warn(enum bench_engine e, int p, const char *text)
{
  fprintf(stderr, "mpj-bench: warning: %s, p = %d: %s\n", bench_engine_names[e], p, text);
}

/* One line of a worker: a result, or in the first round a note. Anything else
 * is some library's talk. */
static void on_line(void *arg, const char *line)
{
  struct source *s = arg;
  const char *name, *timing, *note;
  json_int_t bytes;
  double us;
  json_t *o = json_loads(line, 0, NULL);
  if (!o) return;
  if (!json_unpack(o, "{ss ss sI sF}", "case", &name, "timing", &timing, "bytes", &bytes, "us",
                   &us))
    bench_results_add(&s->session->results, (int)s->engine, s->session->round, name, timing, s->p,
                      (long)bytes, us);
  else if (!json_unpack(o, "{ss}", "note", &note) && s->session->round == 0)
    warn(s->engine, s->p, note);
  json_decref(o);
}

/* Leave the engine out of what is left at this p, saying why. */
static void drop(struct session *s, enum bench_engine e, int p, const char *why)
{
  s->dropped[e] = true;
  if (bench_engine_is_mpj(e)) s->failed = true;
  warn(e, p, why);
}

/* There is no such engine here. */
static void miss(struct session *s, enum bench_engine e, int p, const char *why)
{
  s->missing[e] = true;
  if (s->options.peers_asked) s->failed = true;
  drop(s, e, p, why);
}

static void judge(struct session *s, enum bench_engine e, int p, const struct bench_run *run)
{
  char why[BENCH_COMPLAINT_BYTES + 80];
  if (run->timed_out)
    snprintf(why, sizeof why, "ended after %.0f s: %s", bench_engine_limit(&s->options),
             run->complaint);
  else
    snprintf(why, sizeof why, "exit status %d: %s", run->exit_status, run->complaint);
  if (!run->timed_out && run->exit_status == BENCH_NO_PROGRAM)
    miss(s, e, p, run->complaint);
  else if (run->timed_out || run->exit_status)
    drop(s, e, p, why);
}

static void run_engine(struct session *s, enum bench_engine e, int p)
{
  struct bench_command command;
  struct bench_run run;
  struct source source = {.session = s, .engine = e, .p = p};
  char why[BENCH_COMPLAINT_BYTES];
  if (!bench_engine_command(e, p, &s->options, &command, why, sizeof why)) {
    miss(s, e, p, why);
    return;
  }
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "p = %d, round %d of %d: %s\n", p, s->round + 1, s->options.rounds,
            bench_engine_names[e]);
  if (bench_launch(command.argv, bench_engine_limit(&s->options), on_line, &source, &run))
    drop(s, e, p, run.complaint);
  else
    judge(s, e, p, &run);
}

static void run_rounds(struct session *s, int p)
{
  memcpy(s->dropped, s->missing, sizeof s->dropped);
  for (s->round = 0; s->round < s->options.rounds; s->round++)
    for (int e = 0; e < BENCH_NENGINES; e++)
      if (bench_engine_chosen((enum bench_engine)e, &s->options) && !s->dropped[e])
        run_engine(s, (enum bench_engine)e, p);
}

static int coll(int argc, char **argv)
{
  struct session s = {0};
  if (!bench_options_read(argc, argv, &s.options)) return 2;
  if (s.options.help) {
    bench_options_help(stdout);
    return 0;
  }
  if (s.options.json && !bench_report_can_write(s.options.json)) return 2;
  for (int i = 0; i < s.options.p.n; i++)
    run_rounds(&s, (int)s.options.p.at[i]);
  bench_report_table(&s.results, &s.options, stdout);
  int failed = s.options.json ? bench_report_json(&s.results, &s.options) : 0;
  bench_results_free(&s.results);
  return failed || s.failed;
}

/* The types benchmark is a program of its own, which needs nothing of this one. */
static int types(char **argv)
{
  char path[PATH_MAX];
  if (!bench_beside_us("mpj-bench-types", path)) {
    fprintf(stderr, "mpj-bench: there is no mpj-bench-types beside it\n");
    return 1;
  }
  argv[0] = path;
  execv(path, argv);
  perror(path);
  return 1;
}

int main(int argc, char **argv)
{
  static const char usage[] = "usage: mpj-bench coll [options]; mpj-bench coll --help says more\n"
                              "       mpj-bench tune [options]; mpj-bench tune --help says more\n"
                              "       mpj-bench pack [options]; mpj-bench pack --help says more\n"
                              "       mpj-bench am [options]; mpj-bench am --help says more\n"
                              "       mpj-bench types [options]; mpj-bench types --help says more\n"
                              "       mpj-bench interop [row...] [options]; --help says more\n"
                              "       mpj-bench array [options] [case...]; --help says more\n"
                              "       mpj-bench overhead\n"
                              "       mpj-bench async [--p LIST]\n"
                              "       mpj-bench layered [--p LIST]\n"
                              "       mpj-bench forms [--p LIST]\n"
                              "       mpj-bench scale [--p LIST]\n";
  if (argc > 1 && !strcmp(argv[1], "coll")) return coll(argc - 2, argv + 2);
  if (argc > 1 && !strcmp(argv[1], "tune")) return tune_bench(argc - 2, argv + 2);
  if (argc > 1 && !strcmp(argv[1], "pack")) return pack_bench(argc - 2, argv + 2);
  if (argc > 1 && !strcmp(argv[1], "types")) return types(argv + 1);
  if (argc > 1 && !strcmp(argv[1], "interop")) return interop_bench(argc - 2, argv + 2);
  if (argc > 1 && !strcmp(argv[1], "overhead")) return overhead_bench(argc - 2, argv + 2);
  if (argc > 1 && !strcmp(argv[1], "async")) return async_bench(argc - 2, argv + 2);
  if (argc > 1 && !strcmp(argv[1], "layered")) return layered_bench(argc - 2, argv + 2);
  if (argc > 1 && !strcmp(argv[1], "forms")) return forms_bench(argc - 2, argv + 2);
  if (argc > 1 && !strcmp(argv[1], "scale")) return scale_bench(argc - 2, argv + 2);
  if (argc > 1 && !strcmp(argv[1], "am")) return am_bench(argc - 2, argv + 2);
  if (argc > 1 && !strcmp(argv[1], "array")) return array_bench(argc - 2, argv + 2);
  if (argc > 1 && !strcmp(argv[1], "--help")) {
    fputs(usage, stdout);
    return 0;
  }
  fputs(usage, stderr);
  return 2;
}
