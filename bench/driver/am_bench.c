/* This file is `mpj-bench am`: it runs the worker round by round and shows, for each
 * row, the medians of what it found.
 *
 * Exit status: 0; 1 the worker failed or the results could not be written; 2 a
 * wrong command line. */
#include "am_bench.h"

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
  char *names[NAMES_MOST]; /* rows that are wanted; none: all */
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

static double median(struct row *row)
{
  qsort(row->us, (size_t)row->n, sizeof *row->us, by_size);
  return row->us[row->n / 2];
}

/* What MPJ needs for the row that a peer's result belongs to. */
static double mpj_of(struct session *s, const struct row *peer)
{
  struct row *row = row_of(s, peer->name, "mpj");
  return row && row->n > 0 ? median(row) : 0;
}

static void show(struct session *s)
{
  printf("%-28s %-12s %12s %12s %12s %8s\n", "row", "who", "median us", "least", "most", "/ mpj");
  for (int i = 0; i < s->nrows; i++) {
    struct row *row = &s->rows[i];
    const double middle = median(row), mpj = mpj_of(s, row);
    printf("%-28s %-12s %12.3f %12.3f %12.3f %8.2f\n", row->name, row->who, middle, row->us[0],
           row->us[row->n - 1], mpj > 0 ? middle / mpj : 0);
  }
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

static int run_round(struct session *s, char *worker)
{
  char *argv[NAMES_MOST + 4] = {worker, "--seconds", (char *)(uintptr_t)s->seconds};
  struct bench_run run;
  for (int i = 0; i < s->nnames; i++)
    argv[3 + i] = s->names[i];
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
    } else if (argv[i][0] == '-' || s->nnames == NAMES_MOST) {
      fprintf(stderr, "mpj-bench: '%s' makes no sense here; see mpj-bench am --help\n", argv[i]);
      return 2;
    } else {
      s->names[s->nnames++] = argv[i];
    }
  }
  if (s->rounds >= 1 && s->rounds <= ROUNDS_MOST && strtod(s->seconds, NULL) > 0) return 0;
  fprintf(stderr, "mpj-bench: --rounds takes a number from 1 to %d, --seconds one above 0\n",
          ROUNDS_MOST);
  return 2;
}

int am_bench(int argc, char **argv)
{
  static struct session s = {.rounds = 5, .seconds = "0.1"};
  char worker[PATH_MAX];
  const int wrong = read_arguments(&s, argc, argv);
  if (wrong > 0) return wrong;
  if (wrong < 0) {
    help();
    return 0;
  }
  if (s.json && !bench_report_can_write(s.json)) return 2;
  if (!bench_beside_us("am_mpj", worker)) {
    fprintf(stderr, "mpj-bench: there is no am_mpj beside this program\n");
    return 1;
  }
  int failed = 0;
  for (int i = 0; i < s.rounds && !failed; i++)
    failed = run_round(&s, worker);
  if (failed || s.nrows == 0) return 1;
  show(&s);
  return s.json ? write_json(&s) : 0;
}
