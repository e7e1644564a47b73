/* This file is a program that carries out the cases of wrong use:
 *
 *   coll_wrong [--ranks N] [CASE]
 *
 * on N threads, or as one process of a job; without CASE, all those after which
 * the communicator works on (on threads: the others too, each on new ones). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpj/mpj.h>

#include "base/memory.h"
#include "coll/board.h"
#include "coll/cases.h"
#include "types/layout/layout.h"
#include "types/type.h"

enum { PATIENCE_S = 20 };

int expect(const struct ranks *r, int status, int code, const char *text, const char *what,
           int line)
{
  if (status == code && (code == MPJ_SUCCESS || strstr(MPJ_Error_detail(), text))) return 0;
  fprintf(stderr, "rank %d of %d, line %d: %s is %d with '%s', expected %d with '%s'\n", r->rank,
          r->size, line, what, status, MPJ_Error_detail(), code, text);
  return 1;
}

int expect_either(const struct ranks *r, int status, int code, const char *text, const char *what,
                  int line)
{
  return status == MPJ_SUCCESS ? 0 : expect(r, status, code, text, what, line);
}

int expect_fact(const struct ranks *r, bool fact, const char *what, int line)
{
  if (!fact) fprintf(stderr, "rank %d of %d, line %d: not so: %s\n", r->rank, r->size, line, what);
  return fact ? 0 : 1;
}

struct job {
  const struct wrong_case *only; /* NULL: all that do not break */
  struct board *board;
};

/* The communicator works. */
static int works(const struct ranks *r)
{
  int mine = r->rank, all[64] = {0}, failed = 0;
  MPJ_Datatype parts;
  failed += EXPECT(MPJ_Type_contiguous(r->size, MPJ_INT, &parts), MPJ_SUCCESS, "");
  failed += EXPECT(MPJ_Type_commit(&parts), MPJ_SUCCESS, "");
  failed += EXPECT(MPJ_Barrier(MPJ_COMM_WORLD), MPJ_SUCCESS, "");
  failed += EXPECT(MPJ_Gather(&mine, MPJ_INT, all, parts, 1, MPJ_COMM_WORLD), MPJ_SUCCESS, "");
  if (r->rank == 1)
    failed += EXPECT_FACT(all[0] == 0 && all[1] == 1 && all[r->size - 1] == r->size - 1);
  failed += EXPECT(MPJ_Bcast(all, parts, 1, MPJ_COMM_WORLD), MPJ_SUCCESS, "");
  failed += EXPECT_FACT(all[r->size - 1] == r->size - 1);
  failed += EXPECT(MPJ_Type_free(&parts), MPJ_SUCCESS, "");
  return failed;
}

static int run_case(const struct ranks *r, const struct wrong_case *c)
{
  int failed = c->fn(r);
  if (!c->breaks) failed += works(r);
  if (failed) fprintf(stderr, "rank %d of %d: %s: %d failed\n", r->rank, r->size, c->name, failed);
  return failed;
}

static int rank_main(void *arg)
{
  const struct job *job = arg;
  struct ranks r;
  int failed = 0;
  if (MPJ_Comm_rank(MPJ_COMM_WORLD, &r.rank) || MPJ_Comm_size(MPJ_COMM_WORLD, &r.size)) return 1;
  if (job->only) {
    failed = run_case(&r, job->only);
  } else {
    for (const struct wrong_case *c = argument_cases; c->name && !failed; c++)
      failed += run_case(&r, c);
    for (const struct wrong_case *c = signature_cases; c->name && !failed; c++)
      failed += run_case(&r, c);
  }
  /* Nobody leaves while another still waits for its error. */
  if (!failed && !board_meet(job->board, r.size, PATIENCE_S)) {
    fprintf(stderr, "rank %d of %d: some rank has not got its error\n", r.rank, r.size);
    failed = 1;
  }
  return failed != 0;
}

static int look_for_leaks(long outstanding)
{
  mpj_layout_forget_permanent();
  if (mpj_type_live() == 0 && mpj_layout_live() == 0 && mpj_memory_outstanding() == outstanding)
    return 0;
  fprintf(stderr, "%zu types, %zu layouts and %ld allocations are left\n", mpj_type_live(),
          mpj_layout_live(), mpj_memory_outstanding() - outstanding);
  return 1;
}

static int run_on_threads(struct job *job, int nranks)
{
  const long outstanding = mpj_memory_outstanding();
  job->board = &board_of_threads;
  atomic_store(&job->board->done, 0);
  const int status = MPJ_Run_threads(nranks, rank_main, job);
  if (status != 0)
    fprintf(stderr, "%s on %d threads: %d\n", job->only ? job->only->name : "all", nranks, status);
  return status != 0 ? status : look_for_leaks(outstanding);
}

static int run_all_on_threads(int nranks)
{
  struct job job = {.only = NULL};
  int status = run_on_threads(&job, nranks);
  for (job.only = order_cases; job.only->name && status == 0; job.only++) {
    alarm(3 * PATIENCE_S);
    status = run_on_threads(&job, nranks);
  }
  return status;
}

static int run_as_process(struct job *job)
{
  const long outstanding = mpj_memory_outstanding();
  if (MPJ_Init(NULL, NULL) != MPJ_SUCCESS) {
    fprintf(stderr, "MPJ_Init: %s\n", MPJ_Error_detail());
    return 1;
  }
  job->board = board_map();
  if (!job->board || MPJ_Barrier(MPJ_COMM_WORLD) != MPJ_SUCCESS) return 1;
  board_forget();
  int size;
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  /* Between nodes the news of a broken communicator may overtake the end of the
   * barrier: nobody does anything wrong before all have left it. */
  if (!board_ready(job->board, size, PATIENCE_S)) return 1;
  const int status = rank_main(job);
  MPJ_Finalize();
  return status != 0 ? status : look_for_leaks(outstanding + 1);
}

static const struct wrong_case *find(const char *name)
{
  const struct wrong_case *const lists[] = {argument_cases, signature_cases, order_cases};
  for (int i = 0; i < 3; i++)
    for (const struct wrong_case *c = lists[i]; c->name; c++)
      if (strcmp(c->name, name) == 0) return c;
  fprintf(stderr, "coll_wrong: there is no case '%s'\n", name);
  exit(2);
}

int main(int argc, char **argv)
{
  int nranks = 0, at = 1;
  struct job job = {.only = NULL};
  if (argc > 2 && strcmp(argv[1], "--ranks") == 0) {
    nranks = atoi(argv[2]);
    at = 3;
  }
  alarm(6 * PATIENCE_S);
  if (at < argc) job.only = find(argv[at]);
  if (nranks == 0) return run_as_process(&job);
  return job.only ? run_on_threads(&job, nranks) : run_all_on_threads(nranks);
}
