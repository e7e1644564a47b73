/* This file is `mpj-bench tune`: it runs MPJ's worker once for each algorithm of each
 * operation, in rounds, and writes rules: for each number of ranks and size the algorithm
 * that was fastest in the dependent timing. */
#include "tune.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_list.h"
#include "engines.h"
#include "launch.h"
#include "tune_cases.h"

enum { SIZES_MOST = 16, TEXT = 4200 };

struct tuning {
  struct bench_list p, sizes;
  double seconds;
  int rounds;
  const char *ops, *out, *mpjrun;
  char here[4096]; /* directory of this program */
  json_t *rules;
  bool failed;
};

/* The least microseconds of one operation at one p. */
struct times {
  const struct tuning *t;
  int candidate;
  double least[TUNE_CANDIDATES][SIZES_MOST];
};

static const char help[] =
    "mpj-bench tune --machine [--out FILE] [--seconds S]: measure in S seconds (18; 20 at most)\n"
    "how this machine moves long data, and write its file, which the library looks for\n"
    "(MPJ_MACHINE_FILE); --rules FILE: with "
    "the rules in it that mpj-bench tune has written\n"
    "\n"
    "mpj-bench tune [options]: time the algorithms of MPJ's collectives on this machine and\n"
    "write rules for MPJ_COLL_FILE that choose the fastest\n"
    "\n"
    "  --out FILE      where to (mpj-coll.json)\n"
    "  --ops LIST      operations, as mpj-bench coll names them (all but matrix)\n"
    "  --p LIST        numbers of ranks (2,4,8,16)\n"
    "  --sizes LIST    bytes of a rank's block (8,1024,8192,65536,1048576)\n"
    "  --rounds R      runs of each algorithm, of which the best counts (3)\n"
    "  --seconds S     for one case (0.05)\n"
    "  --mpjrun PATH   MPJ's launcher (the one built beside; or mpjrun, in PATH)\n"
    "  --help          this text\n";

/* Times */

static void on_line(void *arg, const char *line)
{
  struct times *times = arg;
  const char *timing;
  json_int_t bytes = 0;
  double us;
  json_t *o = json_loads(line, 0, NULL);
  if (o && !json_unpack(o, "{ss sI sF}", "timing", &timing, "bytes", &bytes, "us", &us) &&
      strcmp(timing, "dependent") == 0)
    for (int i = 0; i < times->t->sizes.n; i++) {
      double *least = &times->least[times->candidate][i];
      if ((bytes == times->t->sizes.at[i] || bytes == 0) && us < *least) *least = us;
    }
  json_decref(o);
}

static void sizes_text(const struct tuning *t, char *text, size_t size)
{
  size_t used = 0;
  for (int i = 0; i < t->sizes.n && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%ld", i ? "," : "", t->sizes.at[i]);
}

static void run(struct tuning *t, const struct tune_operation *op, int p, struct times *times)
{
  char asked[120], ranks[20], worker[TEXT], sizes[400], seconds[40];
  struct bench_run outcome;
  char *argv[] = {
      "env",     asked, (char *)t->mpjrun, "-n",    ranks, worker, "--ops", (char *)op->name,
      "--sizes", sizes, "--seconds",       seconds, NULL};
  int n = snprintf(asked, sizeof asked, "MPJ_COLL_%s=", op->name);
  for (int i = 0; i < n; i++)
    asked[i] = (char)toupper((unsigned char)asked[i]);
  snprintf(asked + n, sizeof asked - (size_t)n, "%s", op->candidate[times->candidate]);
  snprintf(ranks, sizeof ranks, "%d", p);
  snprintf(worker, sizeof worker, "%scoll_mpj", t->here);
  snprintf(seconds, sizeof seconds, "%g", t->seconds);
  sizes_text(t, sizes, sizeof sizes);
  const double limit = 20 + 10 * t->seconds * t->sizes.n;
  if (bench_launch(argv, limit, on_line, times, &outcome) == 0 && !outcome.timed_out &&
      outcome.exit_status == 0)
    return;
  fprintf(stderr, "mpj-bench: warning: %s on %d ranks: %s\n", asked, p, outcome.complaint);
  t->failed = true;
}

/* Rules */

static int best_at(const struct tune_operation *op, const struct times *times, int size)
{
  int best = 0;
  for (int c = 1; c < TUNE_CANDIDATES && op->candidate[c]; c++)
    if (times->least[c][size] < times->least[best][size]) best = c;
  return best;
}

/* Where ranks cannot go by the size: the best over all of them, by the geometric mean. */
static int best_of_all(const struct tune_operation *op, const struct times *times)
{
  int best = 0;
  double least = HUGE_VAL;
  for (int c = 0; c < TUNE_CANDIDATES && op->candidate[c]; c++) {
    double sum = 0;
    for (int i = 0; i < times->t->sizes.n; i++)
      sum += log(times->least[c][i]);
    if (sum < least) {
      least = sum;
      best = c;
    }
  }
  return best;
}

/* "name:radix,segment=bytes" as the members of a rule. */
static void add_algorithm(json_t *rule, const char *text)
{
  const size_t length = strcspn(text, ":");
  const char *segment = strstr(text, "segment=");
  json_object_set_new(rule, "algorithm", json_stringn(text, length));
  if (text[length] == ':' && isdigit((unsigned char)text[length + 1]))
    json_object_set_new(rule, "radix", json_integer(atoi(text + length + 1)));
  if (segment) json_object_set_new(rule, "segment", json_integer(atol(segment + 8)));
}

/* From this p up to the next one that was tried. */
static json_t *new_rule(const struct tuning *t, const struct tune_operation *op, int p_index,
                        int candidate)
{
  json_t *rule = json_pack("{ss}", "operation", op->name);
  add_algorithm(rule, op->candidate[candidate]);
  json_object_set_new(rule, "least_ranks", json_integer(p_index ? t->p.at[p_index] : 2));
  if (p_index + 1 < t->p.n)
    json_object_set_new(rule, "most_ranks", json_integer(t->p.at[p_index + 1] - 1));
  json_array_append_new(t->rules, rule);
  return rule;
}

static void add_rules(const struct tuning *t, const struct tune_operation *op, int p_index,
                      const struct times *times)
{
  const long ranks = op->bytes == TUNE_ALL_RANKS ? t->p.at[p_index] : 1;
  if (op->bytes == TUNE_NO_SIZE) {
    new_rule(t, op, p_index, best_of_all(op, times));
    return;
  }
  for (int i = 0; i < t->sizes.n;) {
    const int first = i, best = best_at(op, times, i);
    while (i < t->sizes.n && best_at(op, times, i) == best)
      i++;
    json_t *rule = new_rule(t, op, p_index, best);
    if (first > 0)
      json_object_set_new(rule, "least_bytes", json_integer(t->sizes.at[first] * ranks));
    if (i < t->sizes.n)
      json_object_set_new(rule, "below_bytes", json_integer(t->sizes.at[i] * ranks));
  }
}

static void tune(struct tuning *t, const struct tune_operation *op, int p_index)
{
  struct times times = {.t = t};
  for (int c = 0; c < TUNE_CANDIDATES; c++)
    for (int i = 0; i < SIZES_MOST; i++)
      times.least[c][i] = HUGE_VAL;
  for (int round = 0; round < t->rounds && !t->failed; round++)
    for (int c = 0; c < TUNE_CANDIDATES && op->candidate[c] && !t->failed; c++) {
      times.candidate = c;
      run(t, op, (int)t->p.at[p_index], &times);
    }
  if (!t->failed) add_rules(t, op, p_index, &times);
}

/* The command */

/* Whether the comma-separated list holds the word. */
static bool is_listed(const char *list, const char *word)
{
  const size_t length = strlen(word);
  for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
    if (strcspn(at, ",") == length && memcmp(at, word, length) == 0) return true;
  return false;
}

static bool read_option(struct tuning *t, const char *name, const char *value)
{
  double rounds;
  if (!strcmp(name, "--out")) return (t->out = value) != NULL;
  if (!strcmp(name, "--ops")) return (t->ops = value) != NULL;
  if (!strcmp(name, "--mpjrun")) return (t->mpjrun = value) != NULL;
  if (!strcmp(name, "--p")) return bench_list_numbers(value, 2, 256, 1, &t->p);
  if (!strcmp(name, "--sizes"))
    return bench_list_numbers(value, 8, 1 << 30, 8, &t->sizes) && t->sizes.n <= SIZES_MOST;
  if (!strcmp(name, "--seconds")) return bench_number(value, 1e-4, 60, &t->seconds);
  if (!strcmp(name, "--rounds") && bench_number(value, 1, 100, &rounds))
    return (t->rounds = (int)rounds) >= 1;
  return false;
}

static bool read_options(struct tuning *t, int argc, char **argv)
{
  bench_list_numbers("2,4,8,16", 2, 256, 1, &t->p);
  bench_list_numbers("8,1024,8192,65536,1048576", 8, 1 << 30, 8, &t->sizes);
  for (int i = 0; i < argc; i += 2)
    if (i + 1 >= argc || !read_option(t, argv[i], argv[i + 1])) {
      fprintf(stderr, "mpj-bench tune: %s %s is no option; see mpj-bench tune --help\n", argv[i],
              i + 1 < argc ? argv[i + 1] : "");
      return false;
    }
  return true;
}

static int write_rules(struct tuning *t)
{
  json_t *root = json_pack("{so}", "rules", t->rules);
  const int failed = json_dump_file(root, t->out, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
  if (failed) fprintf(stderr, "mpj-bench tune: cannot write %s\n", t->out);
  json_decref(root);
  return failed != 0;
}

/* The workers are beside this program. */
static void find_here(char *here, size_t size)
{
  const ssize_t n = readlink("/proc/self/exe", here, size - 1);
  here[n > 0 ? n : 0] = '\0';
  char *slash = strrchr(here, '/');
  if (slash) slash[1] = '\0';
}

int tune_bench(int argc, char **argv)
{
  char launcher[PATH_MAX];
  struct tuning t = {.seconds = 0.05, .rounds = 3, .out = "mpj-coll.json"};
  if (argc == 1 && !strcmp(argv[0], "--help")) {
    fputs(help, stdout);
    return 0;
  }
  if (argc > 0 && !strcmp(argv[0], "--machine")) {
    const char *out = NULL, *rules = NULL;
    double seconds = 18;
    for (int i = 1; i < argc; i += 2) {
      if (i + 1 < argc && !strcmp(argv[i], "--out"))
        out = argv[i + 1];
      else if (i + 1 < argc && !strcmp(argv[i], "--rules"))
        rules = argv[i + 1];
      else if (i + 1 == argc || strcmp(argv[i], "--seconds") ||
               !bench_number(argv[i + 1], 1e-3, 18, &seconds)) {
        fprintf(
            stderr,
            "mpj-bench tune --machine takes --out FILE, --rules FILE, and --seconds, up to 18\n");
        return 2;
      }
    }
    return tune_machine(out, rules, seconds);
  }
  if (!read_options(&t, argc, argv)) return 2;
  if (!t.mpjrun) t.mpjrun = bench_mpjrun(launcher);
  find_here(t.here, sizeof t.here);
  t.rules = json_array();
  for (int o = 0; o < TUNE_OPERATIONS && !t.failed; o++)
    for (int i = 0; i < t.p.n && !t.failed; i++)
      if (!t.ops || is_listed(t.ops, tune_operations[o].name)) tune(&t, &tune_operations[o], i);
  if (!t.failed) return write_rules(&t);
  json_decref(t.rules);
  return 1;
}
