/* This file is a program whose ranks repeat one collective until one of them,
 * the victim, goes; the others must get MPJ_ERR_PEER that names it:
 *
 *   coll_deaths [--ranks N] HOW WHAT DATA ROOT VICTIM AFTER_US
 *
 * on N threads, or as one process of a job.
 *   HOW       kill (SIGKILL) or exit (with code 3), at some moment in a call;
 *             finalize, or return (leave with code 3), after some calls
 *   WHAT      barrier, bcast, gather, scatter
 *   DATA      small, long (dense), gaps (long, with gaps at the root), holes
 *             (long, with gaps everywhere)
 *   AFTER_US  microseconds from the first call to the end of the victim
 * Each survivor prints "survived <rank> <pid>", waits for the others without
 * calling the library, and leaves in good order. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpj/mpj.h>

#include "base/memory.h"
#include "coll/board.h"
#include "types/layout/layout.h"
#include "types/type.h"

enum { PATIENCE_S = 20, LONG_ELEMENTS = 200000, GAPS = 2 };

struct job {
  const char *how, *what, *data;
  int root, victim;
  unsigned after_us;
  struct board *board;
};

struct part {
  int rank, size;
  MPJ_Datatype all_type, mine_type;
  double *all, *mine;
};

static int fail(const struct part *p, const char *what, const char *detail)
{
  fprintf(stderr, "rank %d of %d: %s: %s\n", p->rank, p->size, what, detail);
  return 1;
}

/* The buffers: n doubles a rank, with gaps where the data says so. */
static void prepare(const struct job *job, struct part *p)
{
  const bool small = strcmp(job->data, "small") == 0;
  const MPJ_Count n = small ? 2 : LONG_ELEMENTS;
  const int all_stride =
      strcmp(job->data, "gaps") == 0 || strcmp(job->data, "holes") == 0 ? GAPS : 1;
  const int mine_stride = strcmp(job->data, "holes") == 0 ? GAPS : 1;
  MPJ_Datatype one;
  MPJ_Type_vector(n, 1, mine_stride, MPJ_DOUBLE, &p->mine_type);
  MPJ_Type_vector(n, 1, all_stride, MPJ_DOUBLE, &one);
  MPJ_Type_create_hvector(p->size, 1, n * all_stride * (MPJ_Aint)sizeof(double), one, &p->all_type);
  MPJ_Type_commit(&p->mine_type);
  MPJ_Type_commit(&p->all_type);
  MPJ_Type_free(&one);
  p->mine = calloc((size_t)(n * mine_stride), sizeof *p->mine);
  p->all = calloc((size_t)(n * all_stride * p->size), sizeof *p->all);
  if (!p->mine || !p->all) exit(2);
}

static void clean_up(struct part *p)
{
  free(p->all);
  free(p->mine);
  MPJ_Type_free(&p->all_type);
  MPJ_Type_free(&p->mine_type);
}

static int call(const struct job *job, struct part *p)
{
  const MPJ_Comm world = MPJ_COMM_WORLD;
  switch (job->what[1]) {
  case 'a':
    if (job->what[0] == 'b') return MPJ_Barrier(world);
    return MPJ_Gather(p->mine, p->mine_type, p->all, p->all_type, job->root, world);
  case 'c':
    if (job->what[0] == 'b') return MPJ_Bcast(p->mine, p->mine_type, job->root, world);
    return MPJ_Scatter(p->all, p->all_type, p->mine, p->mine_type, job->root, world);
  default:
    fprintf(stderr, "coll_deaths: unknown collective '%s'\n", job->what);
    exit(2);
  }
}

/* The victim */

static void *die_in_time(void *arg)
{
  const struct job *job = arg;
  usleep(job->after_us);
  if (strcmp(job->how, "kill") == 0) raise(SIGKILL);
  _exit(3);
}

/* Go on until the end comes; returns only where the victim leaves by itself. */
static int be_victim(struct job *job, struct part *p)
{
  const bool by_itself = strcmp(job->how, "finalize") == 0 || strcmp(job->how, "return") == 0;
  const double end = MPJ_Wtime() + 1e-6 * job->after_us;
  pthread_t clock;
  if (!by_itself && pthread_create(&clock, NULL, die_in_time, job) != 0) return 1;
  while (!by_itself || MPJ_Wtime() < end)
    if (call(job, p) != MPJ_SUCCESS) return fail(p, "the victim got an error", MPJ_Error_detail());
  if (strcmp(job->how, "return") == 0) return 3;
  const int status = MPJ_Finalize(); /* the others called more */
  return status == MPJ_SUCCESS || status == MPJ_ERR_COMM ? 0 : 1;
}

/* The others */

/* The error names the victim; every later call fails as well. */
static int check_error(const struct job *job, struct part *p, int status)
{
  char name[32];
  snprintf(name, sizeof name, "rank %d", job->victim);
  if (status != MPJ_ERR_PEER) return fail(p, "not MPJ_ERR_PEER", MPJ_Error_detail());
  if (!strstr(MPJ_Error_detail(), name))
    return fail(p, "the victim is not named", MPJ_Error_detail());
  if (call(job, p) != MPJ_ERR_PEER) return fail(p, "a later call", MPJ_Error_detail());
  if (MPJ_Barrier(MPJ_COMM_WORLD) != MPJ_ERR_PEER)
    return fail(p, "a later barrier", MPJ_Error_detail());
  return 0;
}

static int survive(const struct job *job, struct part *p)
{
  int status = MPJ_SUCCESS;
  while (status == MPJ_SUCCESS)
    status = call(job, p);
  const int failed = check_error(job, p, status);
  if (!board_meet(job->board, p->size - 1, PATIENCE_S))
    return fail(p, "some rank has not got its error", "");
  if (failed) return failed;
  printf("survived %d %d\n", p->rank, (int)getpid());
  fflush(stdout);
  return 0;
}

static int rank_main(void *arg)
{
  struct job *job = arg;
  struct part p;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &p.rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &p.size);
  prepare(job, &p);
  const int status = p.rank == job->victim ? be_victim(job, &p) : survive(job, &p);
  clean_up(&p);
  return status;
}

static int run_threads(struct job *job, int nranks)
{
  const int expected = strcmp(job->how, "return") == 0 ? 3 : 0;
  const long outstanding = mpj_memory_outstanding();
  job->board = &board_of_threads;
  const int status = MPJ_Run_threads(nranks, rank_main, job);
  mpj_layout_forget_permanent();
  if (status != expected)
    fprintf(stderr, "MPJ_Run_threads returned %d\n", status);
  else if (mpj_memory_outstanding() != outstanding || mpj_type_live() != 0)
    fprintf(stderr, "%ld allocations are left\n", mpj_memory_outstanding() - outstanding);
  else
    return 0;
  return 1;
}

static int run_process(struct job *job)
{
  if (MPJ_Init(NULL, NULL) != MPJ_SUCCESS) return 1;
  job->board = board_map();
  if (!job->board || MPJ_Barrier(MPJ_COMM_WORLD) != MPJ_SUCCESS) return 1;
  board_begin(job->board, job->victim);
  board_forget();
  const int status = rank_main(job);
  int finalized = 0;
  MPJ_Finalized(&finalized);
  if (status == 0 && !finalized) MPJ_Finalize();
  return status;
}

int main(int argc, char **argv)
{
  const int nranks = argc > 2 && strcmp(argv[1], "--ranks") == 0 ? atoi(argv[2]) : 0;
  char **arg = argv + (nranks > 0 ? 3 : 1);
  if (argc - (arg - argv) != 6) {
    fprintf(stderr, "usage: coll_deaths [--ranks N] HOW WHAT DATA ROOT VICTIM AFTER_US\n");
    return 2;
  }
  struct job job = {.how = arg[0],
                    .what = arg[1],
                    .data = arg[2],
                    .root = atoi(arg[3]),
                    .victim = atoi(arg[4]),
                    .after_us = (unsigned)atoi(arg[5])};
  alarm(3 * PATIENCE_S);
  return nranks > 0 ? run_threads(&job, nranks) : run_process(&job);
}
