/* This file is `mpj-bench tune --machine`: it measures what long data costs between two processes
 * by straight copies and through pieces, on one core and on pairs of cores that share more or less,
 * and writes the machine's file (base/machine/measured.h). */
#include "tune.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/machine/measured.h"
#include "base/machine/measured_find.h"
#include "base/memory.h"
#include "engines.h"
#include "launch.h"
#include "machine/cases.h"
#include "report.h"

enum { ROUNDS = 3, MOVERS = 3 };
/* Seconds of a case; and where next to no time is given, which nobody wants figures of. */
static const double case_seconds = .004, case_least = 1e-5;
/* Seconds after which what is not measured is not waited for. */
static const double most_seconds = 20, most_seconds_least = 100;

static const char *const states[MACHINE_STATES] = {"reused", "rewritten", "fresh"};

struct placement {
  bool there;
  cpu_set_t cpus;
};

struct machine {
  struct placement places[MPJ_PLACEMENTS];
  cpu_set_t all;
  char worker[PATH_MAX], launcher[PATH_MAX];
  const char *mpjrun;
  double us[MPJ_PLACEMENTS][MACHINE_KINDS][MACHINE_STATES][MACHINE_SIZES][MOVERS][ROUNDS];
  double case_seconds;
  double deadline;         /* as now() */
  int place, mover, round; /* of the run at hand */
};

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* One pair of each kind, of those with the first CPU that this process may use. */
static void find_placements(struct machine *m)
{
  int first = -1;
  sched_getaffinity(0, sizeof m->all, &m->all);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET((size_t)cpu, &m->all)) continue;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    int place = MPJ_PLACE_ONE_CORE;
    if (first >= 0) {
      CPU_SET((size_t)first, &set);
      if (sched_setaffinity(0, sizeof set, &set)) continue;
      place = (int)mpj_machine_placement();
    } else {
      first = cpu;
    }
    if (!m->places[place].there) m->places[place] = (struct placement){true, set};
  }
  sched_setaffinity(0, sizeof m->all, &m->all);
}

static void on_line(void *arg, const char *line)
{
  struct machine *m = arg;
  int kind, state;
  json_int_t bytes;
  double us;
  json_t *o = json_loads(line, 0, NULL);
  if (o &&
      !json_unpack(o, "{si si sI sF}", "kind", &kind, "state", &state, "bytes", &bytes, "us", &us))
    for (int i = 0; i < MACHINE_SIZES; i++)
      if (bytes == machine_sizes[i] && kind >= 0 && kind < MACHINE_KINDS && state >= 0 &&
          state < MACHINE_STATES)
        m->us[m->place][kind][state][i][m->mover][m->round] = us;
  json_decref(o);
}

static bool run(struct machine *m)
{
  static char env[] = "env", none[] = "MPJ_MACHINE_FILE=none", count[] = "-n", two[] = "2",
              bind[] = "--bind";
  static char ways[MOVERS][2][32] = {{"MPJ_SINGLE_COPY=on", "MPJ_PIECES=auto"},
                                     {"MPJ_SINGLE_COPY=off", "MPJ_PIECES=cached"},
                                     {"MPJ_SINGLE_COPY=off", "MPJ_PIECES=past"}};
  char seconds[32], launcher[PATH_MAX];
  struct bench_run outcome;
  snprintf(seconds, sizeof seconds, "%g", m->case_seconds);
  snprintf(launcher, sizeof launcher, "%s", m->mpjrun);
  char *argv[] = {env, none, ways[m->mover][0], ways[m->mover][1], launcher, count,
                  two, bind, m->worker,         seconds,           NULL};
  if (m->place == MPJ_PLACE_ONE_CORE) {
    argv[7] = m->worker;
    argv[8] = seconds;
    argv[9] = NULL;
  }
  sched_setaffinity(0, sizeof m->places[m->place].cpus, &m->places[m->place].cpus);
  const bool ran = bench_launch(argv, fmax(m->deadline - now(), .1), on_line, m, &outcome) == 0 &&
                   !outcome.timed_out && outcome.exit_status == 0;
  sched_setaffinity(0, sizeof m->all, &m->all);
  if (!ran && !(outcome.timed_out && m->round > 0))
    fprintf(stderr, "mpj-bench: %s, %s, %s: %s\n", mpj_placement_names[m->place], ways[m->mover][0],
            ways[m->mover][1],
            outcome.timed_out ? "it takes too long: other programs run on these cores"
                              : outcome.complaint);
  return ran;
}

/* Rounds until the time is up, the last one whole; 0: not one was, or a run failed. */
static int run_rounds(struct machine *m, double movers_seconds)
{
  const double start = now();
  m->deadline = start + (m->case_seconds < case_seconds ? most_seconds_least : most_seconds);
  for (m->round = 0; m->round < ROUNDS; m->round++) {
    const double spent = now() - start;
    if (m->round > 0 && spent + spent / m->round > movers_seconds) break;
    for (m->place = 0; m->place < MPJ_PLACEMENTS; m->place++)
      for (m->mover = 0; m->mover < MOVERS && m->places[m->place].there; m->mover++)
        if (!run(m)) return now() < m->deadline ? 0 : m->round;
  }
  return m->round;
}

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The median over the rounds of each size. */
static json_t *times(struct machine *m, int place, int kind, int state, int mover, int rounds)
{
  json_t *array = json_array();
  for (int i = 0; i < MACHINE_SIZES; i++) {
    double *us = m->us[place][kind][state][i][mover];
    qsort(us, (size_t)rounds, sizeof *us, by_value);
    json_array_append_new(array, json_real(us[rounds / 2]));
  }
  return array;
}

static json_t *rows(struct machine *m, int rounds)
{
  json_t *all = json_array();
  for (int place = 0; place < MPJ_PLACEMENTS; place++)
    for (int kind = 0; kind < MACHINE_KINDS && m->places[place].there; kind++)
      for (int state = 0; state < MACHINE_STATES; state++)
        json_array_append_new(all, json_pack("{ss ss ss so so so}", "placement",
                                             mpj_placement_names[place], "kind",
                                             mpj_pull_kind_names[kind], "state", states[state],
                                             "straight_us", times(m, place, kind, state, 0, rounds),
                                             "stream_us", times(m, place, kind, state, 1, rounds),
                                             "past_us", times(m, place, kind, state, 2, rounds)));
  return all;
}

static json_t *file(struct machine *m, const struct mpj_machine_key *key, int rounds, json_t *rules)
{
  json_t *bytes = json_array();
  for (int i = 0; i < MACHINE_SIZES; i++)
    json_array_append_new(bytes, json_integer(machine_sizes[i]));
  return json_pack("{ss ss ss si sI so so so*}", "processor", key->processor, "mpj", key->version,
                   "kernel", key->kernel, "cores", key->cores, "made", (json_int_t)time(NULL),
                   "bytes", bytes, "movers", rows(m, rounds), "rules", rules);
}

/* With the member "ready" in front. NULL: there is no memory, or the library does not read the
 * text. */
static char *make_ready(char *text, const struct mpj_machine_key *key)
{
  static struct mpj_measured m;
  int64_t made;
  bool foreign;
  char why[200];
  if (!text) return NULL;
  if (mpj_measured_parse(text, key, &m, &made, &foreign, why, sizeof why))
    return mpj_measured_make_ready(text, mpj_machine_digest(key), &m, made);
  fprintf(stderr, "mpj-bench tune: the file will not be used: %s\n", why);
  return NULL;
}

/* Make the folder of a file and those above it. */
static void make_folders(const char *path)
{
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", path);
  for (char *at = strchr(folder + 1, '/'); at; at = strchr(at + 1, '/')) {
    *at = '\0';
    mkdir(folder, S_IRWXU);
    *at = '/';
  }
}

int tune_machine(const char *out, const char *rules, double seconds)
{
  static struct machine m;
  struct mpj_machine_key key;
  char path[PATH_MAX];
  mpj_machine_key(&key);
  if (out)
    snprintf(path, sizeof path, "%s", out);
  else if (!mpj_machine_path(&key, path)) {
    fprintf(stderr, "mpj-bench tune: neither XDG_CACHE_HOME nor HOME is set; say --out FILE\n");
    return 2;
  }
  m.mpjrun = bench_mpjrun(m.launcher);
  if (!bench_beside_us("machine_mpj", m.worker)) {
    fprintf(stderr, "mpj-bench tune: machine_mpj is not beside mpj-bench: it was not built\n");
    return 1;
  }
  json_error_t error;
  json_t *tuned = rules ? json_load_file(rules, 0, &error) : NULL;
  if (rules && !json_is_array(json_object_get(tuned, "rules"))) {
    fprintf(stderr, "mpj-bench tune: %s is no file of rules: %s\n", rules,
            tuned ? "it has no array \"rules\"" : error.text);
    json_decref(tuned);
    return 2;
  }
  make_folders(path);
  if (!bench_report_can_write(path)) {
    json_decref(tuned);
    return 2;
  }
  m.case_seconds = seconds < 1 ? case_least : case_seconds;
  find_placements(&m);
  const int rounds = run_rounds(&m, seconds);
  if (rounds == 0) {
    json_decref(tuned);
    return 1;
  }
  json_t *root = file(&m, &key, rounds, json_incref(json_object_get(tuned, "rules")));
  json_decref(tuned);
  char *text = bench_report_text(root), *ready = make_ready(text, &key);
  const int failed = bench_report_write_text(path, ready ? ready : text);
  mpj_free(ready);
  free(text);
  json_decref(root);
  if (!failed) printf("%s\n", path);
  return failed;
}
