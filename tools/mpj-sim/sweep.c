/* This file compares the algorithms of collectives on a simulated machine, and writes rules that
 * choose the best. */
#include "sweep.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chart.h"
#include "coll/select/algorithms.h"
#include "files.h"
#include "machines.h"

enum { CANDIDATES_MOST = CHART_BARS_MOST, SEGMENT = 8192 };
static_assert((int)LIST_MOST <= (int)CANDIDATES_MOST, "what is listed has its bars");

/* How an algorithm is asked for. */
struct candidate {
  char word[ALGORITHM_BYTES];
  const struct mpj_algorithm *algorithm; /* NULL: "auto" */
  int radix;                             /* another than its own, or 0 */
  bool cut, asked;                       /* in segments of SEGMENT; by --algorithm */
};

/* Those that are asked for. */
static int list_asked(const struct options *o, enum mpj_operation operation,
                      struct candidate list[])
{
  for (int i = 0; i < o->nalgorithms; i++) {
    const char *word = o->algorithms[i];
    list[i] = (struct candidate){
        .algorithm = mpj_algorithm_find(operation, word, strcspn(word, ":,")), .asked = true};
    snprintf(list[i].word, sizeof list[i].word, "%s", word);
  }
  return o->nalgorithms;
}

/* An algorithm, whole and cut. */
static int list_sizes(const struct mpj_algorithm *a, int radix, int n, struct candidate list[])
{
  for (int cut = 0; cut <= a->segmented && n < CANDIDATES_MOST; cut++) {
    struct candidate *c = &list[n++];
    *c = (struct candidate){.algorithm = a, .radix = radix, .cut = cut};
    int at = snprintf(c->word, sizeof c->word, "%s", a->name);
    if (radix > 0) at += snprintf(c->word + at, sizeof c->word - (size_t)at, ":radix=%d", radix);
    if (cut)
      snprintf(c->word + at, sizeof c->word - (size_t)at, "%csegment=%d", radix > 0 ? ',' : ':',
               SEGMENT);
  }
  return n;
}

/* The algorithms of an operation, whole and cut, with their own radix and with another one; those
 * that are there only to be compared with (neighbourhood_...) are left out, unless they are asked
 * for. */
static int list_candidates(const struct options *o, enum mpj_operation operation,
                           struct candidate list[])
{
  int n = 0;
  if (o->nalgorithms > 0) return list_asked(o, operation, list);
  for (const struct mpj_algorithm *a = mpj_algorithms; a->name; a++) {
    if (a->operation != operation || strncmp(a->name, "neighbourhood_", 14) == 0) continue;
    n = list_sizes(a, 0, n, list);
    if (a->radix > 0 && !a->fixed_radix) n = list_sizes(a, a->radix == 4 ? 2 : 4, n, list);
  }
  return n;
}

/* In place of a time: the algorithm is not for such calls; its run failed, which has been said. */
enum { NOT_POSSIBLE = -1, FAILED = -2 };

static int64_t fail(const struct run_options *o, const struct candidate *c, const char *why)
{
  fprintf(stderr, "mpj-sim: %s by %s, %d ranks, %lld bytes: %s\n", mpj_operation_word(o->operation),
          c->word, o->machine.ranks, (long long)o->bytes, why);
  return FAILED;
}

/* In a child: when the last rank left, or why there is no such time. */
static int64_t run_one(const struct run_options *o, const struct candidate *c)
{
  char name[MPJ_VARIABLE_BYTES], why[300];
  struct result r;
  setenv(mpj_operation_variable(o->operation, name), c->word, 1);
  if (run_program(o, NULL, NULL, &r) != MPJ_SUCCESS) return fail(o, c, MPJ_Error_detail());
  int64_t last = r.last_ps;
  if (r.failed > 0) {
    snprintf(why, sizeof why, "%d ranks failed: %s", r.failed, r.why);
    last = fail(o, c, why);
  } else if (!result_is_of(&r, c->word)) {
    last = NOT_POSSIBLE;
    snprintf(why, sizeof why, "--algorithm is not possible for this call, %s ran", r.algorithm);
    if (c->asked) last = fail(o, c, why);
  }
  result_end(&r);
  return last;
}

/* The child has ended without having told a time. */
static int64_t fail_ended(const struct run_options *o, const struct candidate *c, int status)
{
  char why[80] = "its process could not be run";
  if (WIFSIGNALED(status))
    snprintf(why, sizeof why, "its process was killed by signal %d (%s)", WTERMSIG(status),
             strsignal(WTERMSIG(status)));
  return fail(o, c, why);
}

/* The same in a process of its own. */
static int64_t run_apart(const struct run_options *o, const struct candidate *c)
{
  int64_t time = FAILED;
  int ends[2], status = 0;
  if (c->cut && o->bytes <= SEGMENT) return NOT_POSSIBLE;
  if (pipe(ends) != 0) return fail_ended(o, c, status);
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    time = run_one(o, c);
    fflush(NULL);
    _exit(write(ends[1], &time, sizeof time) != sizeof time);
  }
  close(ends[1]);
  const bool told = child > 0 && read(ends[0], &time, sizeof time) == sizeof time;
  close(ends[0]);
  if (child > 0) waitpid(child, &status, 0);
  return told ? time : fail_ended(o, c, status);
}

/* What an operation's rules go by: nothing, all ranks' data, or as it is. */
static int64_t bytes_in_rules(enum mpj_operation operation, int ranks, int64_t bytes)
{
  if (operation == MPJ_OPERATION_ALLGATHER || operation == MPJ_OPERATION_REDUCE_SCATTER)
    return ranks * bytes;
  return bytes;
}

/* What is written, where asked for, and what has failed. */
enum { RULES, CSV, SVG, FILES };
struct output {
  struct file files[FILES];
  int nrules;
  struct chart chart;
  int failures;
};

/* One rule, from the first size of `from` up to that of `to`; and from these ranks on. */
static void write_rule(struct output *out, const struct options *o, enum mpj_operation operation,
                       int p, int from, int to, const struct candidate *c)
{
  FILE *f = out->files[RULES].f;
  const int ranks = (int)o->counts.at[p];
  const bool sized = mpj_operation_goes_by_size(operation);
  fprintf(f, "%s\n {\"operation\": \"%s\", \"algorithm\": \"%s\"", out->nrules++ > 0 ? "," : "",
          mpj_operation_word(operation), c->algorithm->name);
  if (c->radix > 0) fprintf(f, ", \"radix\": %d", c->radix);
  if (c->cut) fprintf(f, ", \"segment\": %d", SEGMENT);
  fprintf(f, ", \"least_ranks\": %d", p > 0 ? ranks : 2);
  if (p + 1 < o->counts.n) fprintf(f, ", \"most_ranks\": %" PRId64, o->counts.at[p + 1] - 1);
  if (sized && from > 0)
    fprintf(f, ", \"least_bytes\": %" PRId64, bytes_in_rules(operation, ranks, o->sizes.at[from]));
  if (sized && to < o->sizes.n)
    fprintf(f, ", \"below_bytes\": %" PRId64, bytes_in_rules(operation, ranks, o->sizes.at[to]));
  fprintf(f, "}");
}

/* The best at a size, -1: none ran. Where rules know no size, over all of them. */
static int best_at(int n, int nsizes, int64_t times[][CANDIDATES_MOST], int size, bool sized)
{
  int best = -1;
  double least = 0;
  for (int c = 0; c < n; c++) {
    double sum = 0;
    bool ran = true;
    for (int i = sized ? size : 0; i < (sized ? size + 1 : nsizes); i++) {
      ran = ran && times[i][c] >= 0;
      sum += (double)times[i][c] / (double)(times[i][0] > 0 ? times[i][0] : 1);
    }
    if (!ran || (best >= 0 && sum >= least)) continue;
    best = c;
    least = sum;
  }
  return best;
}

static void print_row(const struct run_options *run, int n, const struct candidate list[],
                      const int64_t times[], int best)
{
  printf("simulated %s, %d ranks, %" PRId64 " bytes:", mpj_operation_word(run->operation),
         run->machine.ranks, (int64_t)run->bytes);
  if (best < 0) printf(" no algorithm ran");
  for (int c = 0; c < n; c++) {
    char text[32];
    if (times[c] >= 0)
      printf("  %s %s%s", list[c].word, text_of_time(times[c], text), c == best ? " *" : "");
  }
  printf("\n");
  fflush(stdout);
}

static void draw_row(struct chart *chart, const struct run_options *run, int n,
                     const struct candidate list[], const int64_t times[])
{
  struct chart_group *g = chart_add(chart);
  if (!g) return;
  snprintf(g->name, sizeof g->name, "%s, %d ranks, %lld bytes", mpj_operation_word(run->operation),
           run->machine.ranks, (long long)run->bytes);
  g->nbars = n;
  for (int c = 0; c < n; c++) {
    memcpy(g->bars[c].word, list[c].word, sizeof list[c].word);
    g->bars[c].ps = times[c];
  }
}

/* One operation on so many ranks. */
static void sweep_ranks(const struct options *o, enum mpj_operation operation, int p,
                        struct output *out)
{
  struct candidate list[CANDIDATES_MOST];
  static int64_t times[LIST_MOST][CANDIDATES_MOST];
  const int n = list_candidates(o, operation, list);
  const bool barrier = operation == MPJ_OPERATION_BARRIER;
  const bool sized = mpj_operation_goes_by_size(operation);
  const int nsizes = barrier ? 1 : o->sizes.n;
  struct run_options run = o->run;
  run.operation = operation;
  run.machine.ranks = (int)o->counts.at[p];
  for (int i = 0; i < nsizes; i++) {
    run.bytes = barrier ? 0 : o->sizes.at[i];
    for (int c = 0; c < n; c++) {
      times[i][c] = run_apart(&run, &list[c]);
      out->failures += times[i][c] == FAILED;
    }
    if (!o->quiet) print_row(&run, n, list, times[i], best_at(n, nsizes, times, i, true));
    if (o->svg) draw_row(&out->chart, &run, n, list, times[i]);
    for (int c = 0; o->csv && c < n; c++)
      if (times[i][c] >= 0)
        fprintf(out->files[CSV].f, "%s,%d,%" PRId64 ",%s,%" PRId64 "\n",
                mpj_operation_word(operation), run.machine.ranks, (int64_t)run.bytes, list[c].word,
                times[i][c]);
  }
  for (int i = 0; out->files[RULES].f && i < nsizes;) {
    const int first = i, best = best_at(n, nsizes, times, i, sized);
    while (i < nsizes && best_at(n, nsizes, times, i, sized) == best)
      i++;
    const int end = i == nsizes ? o->sizes.n : i;
    if (best >= 0) write_rule(out, o, operation, p, first, end, &list[best]);
  }
}

/* Whether all that is to be run can be. */
static bool check_counts(const struct options *o)
{
  struct run_options run = o->run;
  for (int p = 0; p < o->counts.n; p++) {
    run.machine.ranks = (int)o->counts.at[p];
    if (run_check(&run) == MPJ_SUCCESS) continue;
    fprintf(stderr, "mpj-sim: %" PRId64 " of --counts: %s\n", o->counts.at[p], MPJ_Error_detail());
    return false;
  }
  return true;
}

/* The rows, and what goes before and behind them. */
static bool sweep_all(const struct options *o, struct output *out)
{
  FILE *rules = out->files[RULES].f, *csv = out->files[CSV].f, *svg = out->files[SVG].f;
  if (rules) fprintf(rules, "{\"simulated\": true, \"rules\": [");
  if (csv) fprintf(csv, "operation,ranks,bytes,algorithm,last_ps\n");
  if (!o->quiet) machine_print(&o->run.machine, stdout);
  for (enum mpj_operation op = MPJ_OPERATION_BARRIER; op < MPJ_OPERATIONS; op++)
    for (int p = 0; o->ops & 1u << op && p < o->counts.n; p++)
      sweep_ranks(o, op, p, out);
  if (rules) fprintf(rules, "]}\n");
  if (out->failures > 0) fprintf(stderr, "mpj-sim: runs that failed: %d\n", out->failures);
  if (svg && !out->chart.lacks_memory) chart_svg(&out->chart, o->run.machine.name, svg);
  if (out->chart.lacks_memory) fprintf(stderr, "mpj-sim: --svg: no memory for %s\n", o->svg);
  return out->failures == 0 && !out->chart.lacks_memory;
}

int sweep(const struct options *o, bool tune)
{
  struct output out = {.files = {[RULES] = {"json", tune ? o->json : NULL, NULL},
                                 [CSV] = {"csv", o->csv, NULL},
                                 [SVG] = {"svg", o->svg, NULL}}};
  if (!check_counts(o) || !files_open(out.files, FILES)) return 2;
  bool good = sweep_all(o, &out);
  chart_end(&out.chart);
  good &= files_close(out.files, FILES);
  return good ? 0 : 1;
}
