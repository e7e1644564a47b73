/* This file runs workers that print their own tables, under mpjrun. */
#include "worker_bench.h"

#include "bench_list.h"
#include "engines.h"
#include "launch.h"

#include <stdio.h>
#include <string.h>

static const double limit = 120; /* seconds, of one run */

static void print_line(void *arg, const char *line)
{
  (void)arg;
  puts(line);
  fflush(stdout);
}

/* Run the worker of that name with n processes; returns 0, or 1 after a sentence
 * on stderr. */
static int run(const char *name, long n)
{
  char mpjrun[PATH_MAX], worker[PATH_MAX], ranks[BENCH_NUMBER_BYTES];
  struct bench_run outcome;
  if (!bench_beside_us(name, worker) || !bench_beside_us("../tools/mpjrun", mpjrun)) {
    fprintf(stderr, "mpj-bench: %s or mpjrun is not where it was built\n", name);
    return 1;
  }
  snprintf(ranks, sizeof ranks, "%ld", n);
  char bind[] = "--bind", count[] = "-n";
  char *argv[] = {mpjrun, bind, count, ranks, worker, NULL};
  const int failed = bench_launch(argv, limit, print_line, NULL, &outcome);
  if (!failed && !outcome.timed_out && outcome.exit_status == 0) return 0;
  fprintf(stderr, "mpj-bench: %s failed with %ld ranks: %s\n", name, n, outcome.complaint);
  return 1;
}

int overhead_bench(int argc, char **argv)
{
  (void)argv;
  if (argc > 0) {
    fprintf(stderr, "mpj-bench overhead takes no options\n");
    return 2;
  }
  printf("ns from the call to its first message, medians; `fresh` with a type for a block and one\n"
         "for all blocks made, committed and freed for each call\n");
  fflush(stdout);
  return run("coll_overhead", 2);
}

/* Take --p with a list of numbers of ranks; false after a sentence on stderr. */
static bool take_ranks(const char *name, int argc, char **argv, long most, struct bench_list *p)
{
  const bool given = argc == 2 && !strcmp(argv[0], "--p");
  if (argc == 0 || (given && bench_list_numbers(argv[1], 2, most, 1, p))) return true;
  fprintf(stderr, "mpj-bench %s takes --p with a list of numbers of ranks from 2 to %ld\n", name,
          most);
  return false;
}

static int run_each(const char *name, const struct bench_list *p)
{
  int failed = 0;
  for (int i = 0; i < p->n && !failed; i++)
    failed = run(name, p->at[i]);
  return failed;
}

int async_bench(int argc, char **argv)
{
  struct bench_list p = {.n = 2, .at = {2, 4}};
  if (!take_ranks("async", argc, argv, 64, &p)) return 2;
  printf(
      "ms: 10 ms of computing alone, and with a nonblocking operation on 1 MiB and the progress\n"
      "thread; when the operation ended, its processor time, and how often it ended in time\n"
      "%4s  %-10s %8s %8s %8s %8s %8s  %s\n",
      "p", "operation", "alone", "both", "more", "ended", "cpu", "in time");
  fflush(stdout);
  return run_each("coll_async", &p);
}

int layered_bench(int argc, char **argv)
{
  struct bench_list p = {.n = 5, .at = {2, 4, 8, 16, 32}};
  if (!take_ranks("layered", argc, argv, 64, &p)) return 2;
  printf("us an operation on 8 bytes, direct and layered over two-sided messages, and layered / "
         "direct\n%4s  %-23s  %-23s  %-23s  %-23s\n",
         "p", "barrier", "bcast", "reduce", "allgather");
  fflush(stdout);
  return run_each("coll_layered", &p);
}

int forms_bench(int argc, char **argv)
{
  struct bench_list p = {.n = 4, .at = {2, 4, 8, 16}};
  if (!take_ranks("forms", argc, argv, 64, &p)) return 2;
  printf("us an operation: the blocking call, the nonblocking one and its wait, a persistent\n"
         "request's start and wait; and the last two over the first\n"
         "%4s  %-10s %6s %11s %11s %11s %10s %10s\n",
         "p", "operation", "bytes", "blocking", "nonblocking", "persistent", "n / b", "p / b");
  fflush(stdout);
  return run_each("coll_forms", &p);
}

int scale_bench(int argc, char **argv)
{
  struct bench_list p = {.n = 3, .at = {64, 256, 1024}};
  if (!take_ranks("scale", argc, argv, 100000, &p)) return 2;
  printf("a job of p ranks: seconds of rank 0's MPJ_Init, and until a barrier, a bcast and an\n"
         "allreduce have ended there; and KiB a rank (PSS), in mean and at most\n"
         "%5s %8s %8s %10s %10s\n",
         "p", "init", "calls", "KiB mean", "KiB most");
  fflush(stdout);
  return run_each("coll_scale", &p);
}
