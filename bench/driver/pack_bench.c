/* This file runs the packing workers of all engines in turn, one pattern after
 * the other and round by round, and shows what they found.
 *
 * Exit status: 0; 1 MPJ failed somewhere or the results could not be written; 2
 * a wrong command line. A peer that is missing or fails costs its column only. */
#include "pack_bench.h"

#include "engines.h"
#include "launch.h"
#include "pack_report.h"
#include "peers.h"
#include "report.h"

#include <jansson.h>
#include <string.h>
#include <unistd.h>

enum { LIST_BYTES = 256 };

static const double launch_seconds = 600; /* then something hangs */

struct session {
  struct pack_command command;
  struct pack_results results;
  bool dropped[PACK_NENGINES];
  char other[PATH_MAX + sizeof BENCH_LIBRARY]; /* library of the other build, or "" */
  bool mpj_failed;
};

/* One start of a worker. */
struct launch {
  struct session *session;
  enum pack_engine_id engine;
  char rows[LIST_BYTES], sizes[LIST_BYTES];
  const char *pattern; /* the rows without patterns ignore it */
};

static const char *const engine_names[PACK_NENGINES] = {"mpj", "mpich", "openmpi", "mpj:"};

static void drop(struct session *s, enum pack_engine_id e, const char *why)
{
  fprintf(stderr, "mpj-bench: warning: %s is left out: %s\n", engine_names[e], why);
  s->dropped[e] = true;
  if (e == PACK_BY_MPJ) s->mpj_failed = true;
}

static int index_of(const char *word, const char *const words[], int n)
{
  for (int i = 0; i < n; i++)
    if (!strcmp(words[i], word)) return i;
  return -1;
}

static void add_series(json_t *o, const char *best_key, const char *median_key,
                       struct pack_series *s)
{
  double best, median;
  if (!json_unpack(o, "{sF sF}", best_key, &best, median_key, &median))
    pack_series_add(s, best, median);
}

/* Without "other_us" adds nothing to the other build's. */
static void take_line(struct launch *l, enum pack_row row, enum pack_size size, const char *pattern,
                      long bytes, json_t *o)
{
  struct pack_results *r = &l->session->results;
  struct pack_times *t = pack_results_at(r, row, pattern, size, bytes, l->engine);
  if (!t) return;
  add_series(o, "us", "us_median", &t->engine);
  add_series(o, "hand_us", "hand_median", &t->hand);
  add_series(o, "memcpy_us", "memcpy_median", &t->copy);
  t = pack_results_at(r, row, pattern, size, bytes, PACK_BY_OTHER);
  add_series(o, "other_us", "other_median", &t->engine);
  add_series(o, "hand_us", "hand_median", &t->hand);
}

/* One line of a worker. Anything else is some library's talk. */
static void on_line(void *arg, const char *line)
{
  struct launch *l = arg;
  const char *row_name, *pattern, *size_name;
  json_int_t bytes;
  json_t *o = json_loads(line, 0, NULL);
  if (!o) return;
  if (!json_unpack(o, "{ss ss ss sI}", "row", &row_name, "pattern", &pattern, "size", &size_name,
                   "bytes", &bytes)) {
    int row = index_of(row_name, pack_row_names, PACK_NROWS);
    int size = index_of(size_name, pack_size_names, PACK_NSIZES);
    if (row >= 0 && size >= 0)
      take_line(l, (enum pack_row)row, (enum pack_size)size, pattern, (long)bytes, o);
  }
  json_decref(o);
}

static void run_worker(struct launch *l, const char *worker)
{
  struct session *s = l->session;
  char path[PATH_MAX], why[BENCH_COMPLAINT_BYTES + PATH_MAX];
  struct bench_run run;
  if (s->dropped[l->engine]) return;
  if (!bench_beside_us(worker, path)) {
    snprintf(why, sizeof why, "%s is not beside mpj-bench: it was not built", worker);
    drop(s, l->engine, why);
    return;
  }
  const char *const other = l->engine == PACK_BY_MPJ && *s->other ? "--other" : NULL;
  const char *const words[] = {path,      "--rows", l->rows,     "--patterns",       l->pattern,
                               "--sizes", l->sizes, "--seconds", s->command.seconds, other,
                               s->other,  NULL};
  char *argv[sizeof words / sizeof *words];
  memcpy(argv, words, sizeof words); /* exec's argv is not const; nobody writes */
  if (bench_launch(argv, launch_seconds, on_line, l, &run)) {
    drop(s, l->engine, run.complaint);
  } else if (run.timed_out || run.exit_status) {
    snprintf(why, sizeof why, "exit status %d at %s: %s", run.exit_status, l->rows, run.complaint);
    drop(s, l->engine, why);
  }
}

static void run_engines(struct launch *l)
{
  struct session *s = l->session;
  if (!*l->rows || !*l->sizes) return;
  l->engine = PACK_BY_MPJ;
  run_worker(l, "pack_mpj");
  for (int i = 0; i < PACK_NPEERS; i++) {
    l->engine = pack_engine_of_peer(i);
    if (s->command.peers[i] && i != PACK_OTHER_MPJ)
      run_worker(l, i == PACK_MPICH ? "pack_mpich" : "pack_openmpi");
  }
}

static void append(char list[LIST_BYTES], const char *word)
{
  size_t n = strlen(list);
  snprintf(list + n, LIST_BYTES - n, "%s%s", n ? "," : "", word);
}

/* l->rows := those chosen in [from, to]. */
static void choose_rows(struct launch *l, enum pack_row from, enum pack_row to)
{
  const struct bench_list *rows = &l->session->command.what.rows;
  l->rows[0] = '\0';
  for (int i = 0; i < rows->n; i++)
    if (rows->at[i] >= (long)from && rows->at[i] <= (long)to)
      append(l->rows, pack_row_names[rows->at[i]]);
}

/* l->sizes := those chosen, or M alone where only that is. */
static void choose_sizes(struct launch *l, bool only_m)
{
  const struct bench_list *sizes = &l->session->command.what.sizes;
  l->sizes[0] = '\0';
  for (int i = 0; i < sizes->n; i++)
    if (!only_m || sizes->at[i] == PACK_M) append(l->sizes, pack_size_names[sizes->at[i]]);
}

static void run_patterns(struct launch *l)
{
  const struct bench_list *patterns = &l->session->command.what.patterns;
  for (int i = 0; i < patterns->n; i++) {
    l->pattern = pack_pattern_names[patterns->at[i]];
    choose_rows(l, PACK_ROW_PACK, PACK_ROW_UNPACK);
    choose_sizes(l, false);
    run_engines(l);
    choose_rows(l, PACK_ROW_FORWARD, PACK_ROW_RANDOM);
    choose_sizes(l, true);
    l->engine = PACK_BY_MPJ;
    if (*l->rows && *l->sizes) run_worker(l, "pack_mpj");
  }
}

static void run_round(struct session *s)
{
  struct launch l = {.session = s, .pattern = pack_pattern_names[0]};
  run_patterns(&l);
  choose_sizes(&l, false);
  choose_rows(&l, PACK_ROW_COPY, PACK_ROW_SMALL);
  run_engines(&l);
  choose_rows(&l, PACK_ROW_SUM, PACK_ROW_SUM);
  l.engine = PACK_BY_MPJ;
  if (*l.rows) run_worker(&l, "pack_mpj_sum");
}

/* Find the library of the other build, if one is asked for. */
static bool find_other(struct session *s)
{
  char folder[PATH_MAX], why[BENCH_COMPLAINT_BYTES + PATH_MAX];
  if (!s->command.peers[PACK_OTHER_MPJ]) return true;
  if (!bench_peers_library(s->command.prefix[PACK_OTHER_MPJ], folder, why, sizeof why)) {
    fprintf(stderr, "mpj-bench: %s\n", why);
    return false;
  }
  snprintf(s->other, sizeof s->other, "%s/" BENCH_LIBRARY, folder);
  return true;
}

static int run(struct session *s)
{
  const struct pack_command *c = &s->command;
  if (!find_other(s)) return 2;
  if (!pack_results_open(&s->results)) {
    fprintf(stderr, "mpj-bench: no memory for the results\n");
    return 1;
  }
  for (int round = 0; round < c->rounds; round++) {
    if (isatty(STDERR_FILENO)) fprintf(stderr, "round %d of %d\n", round + 1, c->rounds);
    run_round(s);
  }
  pack_report_table(&s->results, c, stdout);
  int failed = s->mpj_failed;
  if (c->json) failed |= pack_report_json(&s->results, c);
  if (c->plot) failed |= pack_report_plot(&s->results, c);
  pack_results_close(&s->results);
  return failed;
}

int pack_bench(int argc, char **argv)
{
  struct session s = {0};
  const struct pack_command *c = &s.command;
  if (!pack_command_read(argc, argv, &s.command)) return 2;
  if (c->help) {
    pack_command_help(stdout);
    return 0;
  }
  if (c->json && !bench_report_can_write(c->json)) return 2;
  if (c->plot && !bench_report_can_write(c->plot)) return 2;
  return run(&s);
}
