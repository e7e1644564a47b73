/* This file is a program whose ranks repeat an exchange or a reduction until one
 * of them, the victim, goes; the others must get MPJ_ERR_PEER that names it:
 *
 *   coll_reduction_deaths [--ranks N] HOW WHAT DATA VICTIM AFTER_US
 *
 * on N threads, or as one process of a job.
 *   HOW       kill (SIGKILL, at some moment in a call), return (leave with 3)
 *   WHAT      the collective's name
 *   DATA      small, long (dense), gaps (long, strided)
 *   AFTER_US  microseconds from the first call to the end of the victim
 * Each survivor prints "survived <rank>", and waits for the others without calling
 * the library. */
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

enum { LONG_ELEMENTS = 60000, PATIENCE_S = 60, VICTIM_CODE = 3 };

static const char *const names[] = {"allgather", "alltoall",       "reduce", "allreduce",
                                    "scan",      "reduce_scatter", "exscan"};
enum { ALLGATHER, ALLTOALL, REDUCE, ALLREDUCE, SCAN, REDUCE_SCATTER, EXSCAN, KINDS };

struct job {
  const char *how, *data;
  int kind, victim;
  unsigned after_us;
  struct board *board;
};

struct rank {
  const struct job *job;
  int rank, size;
  MPJ_Datatype one, parts; /* a rank's data; that of all, one part each */
  double *in, *out;        /* room for parts */
};

static int complain(const struct rank *r, const char *what)
{
  fprintf(stderr, "rank %d of %d: %s: %s\n", r->rank, r->size, what, MPJ_Error_detail());
  return 1;
}

static void prepare(struct rank *r)
{
  const MPJ_Count n = strcmp(r->job->data, "small") == 0 ? 2 : LONG_ELEMENTS;
  const int stride = strcmp(r->job->data, "gaps") == 0 ? 2 : 1;
  MPJ_Type_vector(n, 1, stride, MPJ_DOUBLE, &r->one);
  MPJ_Type_create_hvector(r->size, 1, n * stride * (MPJ_Aint)sizeof(double), r->one, &r->parts);
  MPJ_Type_commit(&r->one);
  MPJ_Type_commit(&r->parts);
  r->in = calloc((size_t)(n * stride * r->size), sizeof *r->in);
  r->out = calloc((size_t)(n * stride * r->size), sizeof *r->out);
  if (!r->in || !r->out) exit(2);
}

static void clean_up(struct rank *r)
{
  free(r->in);
  free(r->out);
  MPJ_Type_free(&r->one);
  MPJ_Type_free(&r->parts);
}

static int call(struct rank *r)
{
  const MPJ_Comm world = MPJ_COMM_WORLD;
  switch (r->job->kind) {
  case ALLGATHER:
    return MPJ_Allgather(r->in, r->one, r->out, r->parts, world);
  case ALLTOALL:
    return MPJ_Alltoall(r->in, r->parts, r->out, r->parts, world);
  case REDUCE:
    return MPJ_Reduce(r->in, r->one, r->out, r->one, MPJ_SUM, 1, world);
  case ALLREDUCE:
    return MPJ_Allreduce(r->in, r->one, r->out, r->one, MPJ_SUM, world);
  case SCAN:
    return MPJ_Scan(r->in, r->one, r->out, r->one, MPJ_SUM, world);
  case REDUCE_SCATTER:
    return MPJ_Reduce_scatter(r->in, r->parts, r->out, r->one, MPJ_SUM, world);
  default:
    return MPJ_Exscan(r->in, r->one, r->out, r->one, MPJ_SUM, world);
  }
}

static void *kill_in_time(void *arg)
{
  usleep(*(const unsigned *)arg);
  raise(SIGKILL);
  return NULL;
}

/* Go on until the end comes; returns only where the victim leaves by itself. */
static int be_victim(struct rank *r)
{
  const bool killed = strcmp(r->job->how, "kill") == 0;
  const double end = MPJ_Wtime() + 1e-6 * r->job->after_us;
  unsigned after_us = r->job->after_us;
  pthread_t clock;
  if (killed && pthread_create(&clock, NULL, kill_in_time, &after_us) != 0) return 1;
  while (killed || MPJ_Wtime() < end)
    if (call(r) != MPJ_SUCCESS) return complain(r, "the victim got an error");
  return VICTIM_CODE;
}

/* The error names the victim, and every later call fails as well. */
static int survive(struct rank *r)
{
  char name[32];
  int status = MPJ_SUCCESS;
  snprintf(name, sizeof name, "rank %d", r->job->victim);
  while (status == MPJ_SUCCESS)
    status = call(r);
  if (status != MPJ_ERR_PEER) return complain(r, "not MPJ_ERR_PEER");
  if (!strstr(MPJ_Error_detail(), name)) return complain(r, "the victim is not named");
  if (call(r) != MPJ_ERR_PEER) return complain(r, "a later call");
  if (!board_meet(r->job->board, r->size - 1, PATIENCE_S / 3))
    return complain(r, "some rank has not got its error");
  printf("survived %d\n", r->rank);
  fflush(stdout);
  return 0;
}

static int rank_main(void *arg)
{
  struct rank r = {.job = arg};
  MPJ_Comm_rank(MPJ_COMM_WORLD, &r.rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &r.size);
  prepare(&r);
  const int status = r.rank == r.job->victim ? be_victim(&r) : survive(&r);
  clean_up(&r);
  return status;
}

static int run_threads(struct job *job, int nranks)
{
  const long outstanding = mpj_memory_outstanding();
  job->board = &board_of_threads;
  const int status = MPJ_Run_threads(nranks, rank_main, job);
  mpj_layout_forget_permanent();
  if (status != VICTIM_CODE)
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
  if (status == 0) MPJ_Finalize();
  return status;
}

static int kind_of(const char *name)
{
  for (int k = 0; k < KINDS; k++)
    if (strcmp(names[k], name) == 0) return k;
  fprintf(stderr, "there is no collective '%s'\n", name);
  exit(2);
}

int main(int argc, char **argv)
{
  const int nranks = argc > 2 && strcmp(argv[1], "--ranks") == 0 ? atoi(argv[2]) : 0;
  char **arg = argv + (nranks > 0 ? 3 : 1);
  if (argc - (arg - argv) != 5) {
    fprintf(stderr, "usage: coll_reduction_deaths [--ranks N] HOW WHAT DATA VICTIM AFTER_US\n");
    return 2;
  }
  struct job job = {.how = arg[0],
                    .kind = kind_of(arg[1]),
                    .data = arg[2],
                    .victim = atoi(arg[3]),
                    .after_us = (unsigned)atoi(arg[4])};
  alarm(PATIENCE_S);
  if (nranks > 0) return run_threads(&job, nranks);
  return run_process(&job);
}
