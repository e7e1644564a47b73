/* This file is `mpj-bench am`: it runs the worker round by round and shows, for each
 * row, the medians of what it found; with --machine it writes what follows from them.
 *
 * Exit status: 0; 1 the worker failed or the results could not be written; 2 a
 * wrong command line. */
#include "am_bench.h"

#include "am_machine.h"
#include "engines.h"
#include "launch.h"
#include "report.h"

#include <jansson.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 64, ROUNDS_MOST = 100, NAMES_MOST = 16, NAME_BYTES = 48 };

static const double launch_seconds = 600; /* then something hangs */

struct row {
  char name[NAME_BYTES], who[NAME_BYTES];
  int n;
  double us[ROUNDS_MOST];
};

struct session {
  int rounds, nrows, nnames;
  const char *seconds, *json;
  const char *machine, *transport, *mpjrun; /* a machine's file to be written; how its two ranks are
                                               joined; or NULL */
  char *names[NAMES_MOST];                  /* rows that are wanted; none: all */
  struct row rows[ROWS_MOST];
};

static struct row *row_of(struct session *s, const char *name, const char *who)
{
  for (int i = 0; i < s->nrows; i++)
    if (!strcmp(s->rows[i].name, name) && !strcmp(s->rows[i].who, who)) return &s->rows[i];
  if (s->nrows == ROWS_MOST) return NULL;
  struct row *row = &s->rows[s->nrows++];
  snprintf(row->name, sizeof row->name, "%s", name);
  snprintf(row->who, sizeof row->who, "%s", who);
  return row;
}

/* One line of the worker. Anything else is some library's talk. */
static void on_line(void *arg, const char *line)
{
  const char *name, *who;
  double us;
  json_t *o = json_loads(line, 0, NULL);
  if (!o) return;
  if (!json_unpack(o, "{ss ss sF}", "row", &name, "who", &who, "us", &us)) {
    struct row *row = row_of(arg, name, who);
    if (row && row->n < ROUNDS_MOST) row->us[row->n++] = us;
  }
  json_decref(o);
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The value below which so many quarters of the others are. */
static double quartile(struct row *row, int quarters)
{
  qsort(row->us, (size_t)row->n, sizeof *row->us, by_size);
  return row->us[row->n * quarters / 4];
}

static double median(struct row *row)
{
  return quartile(row, 2);
}

/* What MPJ needs for a row; 0: it was not measured. */
static double median_of(void *session, const char *name)
{
  struct row *row = row_of(session, name, "mpj");
  return row && row->n > 0 ? median(row) : 0;
}

/* The same of a quiet round: a machine has its parameters whatever else it does meanwhile. */
static double quartile_of(void *session, const char *name)
{
  struct row *row = row_of(session, name, "mpj");
  return row && row->n > 0 ? quartile(row, 1) : 0;
}

static void show(struct session *s)
{
  printf("%-28s %-12s %12s %12s %12s %8s\n", "row", "who", "median us", "least", "most", "/ mpj");
  for (int i = 0; i < s->nrows; i++) {
    struct row *row = &s->rows[i];
    const double middle = median(row), mpj = median_of(s, row->name);
    printf("%-28s %-12s %12.3f %12.3f %12.3f %8.2f\n", row->name, row->who, middle, row->us[0],
           row->us[row->n - 1], mpj > 0 ? middle / mpj : 0);
  }
  if (!s->machine)
    printf("One way; memory_p64_bytes: bytes of the shared segment for each of 64 ranks.\n");
}

static int write_json(struct session *s)
{
  json_t *all = json_array();
  for (int i = 0; i < s->nrows; i++) {
    struct row *row = &s->rows[i];
    const double middle = median(row);
    json_array_append_new(all, json_pack("{ss ss ss sf sf sf si}", "bench", "am", "row", row->name,
                                         "who", row->who, "us", middle, "min", row->us[0], "max",
                                         row->us[row->n - 1], "rounds", row->n));
  }
  const int failed = json_dump_file(all, s->json, JSON_INDENT(1));
  if (failed) fprintf(stderr, "mpj-bench: cannot write %s\n", s->json);
  json_decref(all);
  return failed != 0;
}

/* Run the worker once: a program of two ranks, which is started as the transport asks for; or one
 * that starts its ranks itself. */
static int run_round(struct session *s, char *worker)
{
  char launcher[PATH_MAX], *argv[NAMES_MOST + 10];
  struct bench_run run;
  int n = 0;
  const bool launched = s->machine && strcmp(s->transport, "threads") != 0;
  if (launched && !strcmp(s->transport, "ucx")) {
    argv[n++] = "env";
    argv[n++] = "MPJ_TRANSPORT=ucx";
  }
  if (launched) {
    argv[n++] = (char *)(uintptr_t)(s->mpjrun ? s->mpjrun : bench_mpjrun(launcher));
    argv[n++] = "--bind";
    argv[n++] = "-n";
    argv[n++] = "2";
  }
  argv[n++] = worker;
  argv[n++] = "--seconds";
  argv[n++] = (char *)(uintptr_t)s->seconds;
  if (s->machine && !launched) {
    argv[n++] = "--threads";
    argv[n++] = "2";
  }
  for (int i = 0; i < s->nnames; i++)
    argv[n++] = s->names[i];
  argv[n] = NULL;
  if (!bench_launch(argv, launch_seconds, on_line, s, &run) && !run.timed_out && !run.exit_status)
    return 0;
  fprintf(stderr, "mpj-bench: the worker failed: %s\n", run.complaint);
  return 1;
}

static void help(void)
{
  fputs("mpj-bench am [options] [row...]: time active messages between processes, beside bare\n"
        "copies of the same bytes and, where it was found, UCX\n\n"
        "  rows         short, rings, eager, long, rewritten, library, layout, pairs, memory\n"
        "               (default: all these), network\n"
        "  --rounds R   runs of the worker (5)\n"
        "  --seconds S  for one result of a run (0.1)\n"
        "  --quick      one round, 0.02 s\n"
        "  --json FILE  also write the results there\n"
        "  --machine FILE   measure instead what a message costs between two ranks of a job, and\n"
        "               write it there, as mpj-sim --machine reads it\n"
        "  --transport HOW  of that: shm (processes of this machine), threads, ucx (shm)\n"
        "  --mpjrun PATH    of that: the launcher (beside this program, or in PATH)\n"
        "  --help       this text\n",
        stdout);
}

/* 0, or the exit status of a wrong command line; -1: help was wanted. */
static int read_arguments(struct session *s, int argc, char **argv)
{
  for (int i = 0; i < argc; i++) {
    const bool more = i + 1 < argc;
    if (!strcmp(argv[i], "--help")) return -1;
    if (!strcmp(argv[i], "--quick")) {
      s->rounds = 1;
      s->seconds = "0.02";
    } else if (!strcmp(argv[i], "--rounds") && more) {
      s->rounds = atoi(argv[++i]);
    } else if (!strcmp(argv[i], "--seconds") && more) {
      s->seconds = argv[++i];
    } else if (!strcmp(argv[i], "--json") && more) {
      s->json = argv[++i];
    } else if (!strcmp(argv[i], "--machine") && more) {
      s->machine = argv[++i];
    } else if (!strcmp(argv[i], "--transport") && more) {
      s->transport = argv[++i];
    } else if (!strcmp(argv[i], "--mpjrun") && more) {
      s->mpjrun = argv[++i];
    } else if (argv[i][0] == '-' || s->nnames == NAMES_MOST) {
      fprintf(stderr, "mpj-bench: '%s' makes no sense here; see mpj-bench am --help\n", argv[i]);
      return 2;
    } else {
      s->names[s->nnames++] = argv[i];
    }
  }
  if (s->machine && s->nnames > 0) {
    fprintf(stderr, "mpj-bench: '%s': --machine measures rows of its own\n", s->names[0]);
    return 2;
  }
  if (!am_machine_transport(s->transport)) {
    fprintf(stderr, "mpj-bench: --transport is shm, threads or ucx, not '%s'\n", s->transport);
    return 2;
  }
  if (s->rounds >= 1 && s->rounds <= ROUNDS_MOST && strtod(s->seconds, NULL) > 0) return 0;
  fprintf(stderr, "mpj-bench: --rounds takes a number from 1 to %d, --seconds one above 0\n",
          ROUNDS_MOST);
  return 2;
}

int am_bench(int argc, char **argv)
{
  static struct session s = {.rounds = 5, .seconds = "0.1", .transport = "shm"};
  static const char *const workers[] = {"am_mpj", "am_machine"};
  char worker[PATH_MAX];
  const int wrong = read_arguments(&s, argc, argv);
  if (wrong > 0) return wrong;
  if (wrong < 0) {
    help();
    return 0;
  }
  if (s.json && !bench_report_can_write(s.json)) return 2;
  if (s.machine && !bench_report_can_write(s.machine)) return 2;
  if (!bench_beside_us(workers[s.machine != NULL], worker)) {
    fprintf(stderr, "mpj-bench: there is no %s beside this program\n", workers[s.machine != NULL]);
    return 1;
  }
  int failed = 0;
  for (int i = 0; i < s.rounds && !failed; i++)
    failed = run_round(&s, worker);
  if (failed || s.nrows == 0) return 1;
  show(&s);
  if (s.json && write_json(&s)) return 1;
  return s.machine ? !am_machine_write(s.machine, s.transport, quartile_of, &s) : 0;
}
