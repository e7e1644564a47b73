/* This file is a program whose ranks work together until one of them is killed at some
 * moment; the others must hear of it, soon and by its name, and lose nothing:
 *
 *   coll_kills SEED      as one process of a job
 *
 * The seed says who is killed, after how many microseconds, and what they do until then:
 * collectives on short data, on long data with gaps, calls of functions, or messages with
 * long payloads. Each survivor prints "noticed <rank> <us>", the time from the kill to
 * the error, and "survived <rank> <pid>" if its descriptors and memory are as before. */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mpj/am.h>
#include <mpj/mpj.h>

#include "base/memory.h"
#include "coll/board.h"
#include "types/layout/layout.h"
#include "types/type.h"

enum { PATIENCE_S = 20, LONGEST_US = 6000, LONG_ELEMENTS = 60000 };
enum { KEPT = 1 }; /* allocations: the finalized context, which knows that it is */
enum { TAKE = 1, ADD = 2 };
enum kind { SHORT, LONG, CALLS, MESSAGES, KINDS };

static struct {
  enum kind kind;
  unsigned dice;
  int rank, size, victim;
  long after_us;
  struct board *board;
  MPJ_Count n;
  MPJ_Datatype dense, gaps; /* n doubles; n from each rank, every second */
  double *a, *b, *landing;
} job;

static unsigned draw(unsigned most)
{
  job.dice = job.dice * 1664525u + 1013904223u;
  return (job.dice >> 8) % most;
}

static uint64_t now_us(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* What is read of the board: when the victim died, in its own line. */
static _Atomic uint64_t *death(void)
{
  return &job.board->entered[BOARD_RANKS - 1];
}

static int fail(const char *what)
{
  fprintf(stderr, "rank %d of %d, victim %d, kind %d: %s: %s\n", job.rank, job.size, job.victim,
          (int)job.kind, what, MPJ_Error_detail());
  return 1;
}

/* Work */

static int collective(void)
{
  const MPJ_Comm world = MPJ_COMM_WORLD;
  switch (draw(5)) { /* all ranks draw the same */
  case 0:
    return MPJ_Barrier(world);
  case 1:
    return MPJ_Bcast(job.a, job.dense, (int)draw((unsigned)job.size), world);
  case 2:
    return MPJ_Alltoall(job.a, job.gaps, job.b, job.gaps, world);
  case 3:
    return MPJ_Allreduce(job.a, job.dense, job.b, job.dense, MPJ_SUM, world);
  default:
    return MPJ_Gather(job.a, job.dense, job.b, job.gaps, (int)draw((unsigned)job.size), world);
  }
}

static int add(int a, int b)
{
  return a + b;
}

static int other_rank(void)
{
  return (job.rank + 1 + (int)draw((unsigned)job.size - 1)) % job.size;
}

static int call(void)
{
  const int a = (int)draw(1000), b = 7;
  int sum = 0;
  const int status = MPJ_Am_call(other_rank(), ADD, (const void *const[]){&a, &b}, &sum);
  return status != MPJ_SUCCESS || sum == a + b ? status : MPJ_ERR_INTERNAL;
}

static int message(void)
{
  const int status = MPJ_Am_send(other_rank(), TAKE, NULL, 0, job.a, job.dense, NULL, NULL);
  return status != MPJ_SUCCESS || draw(4) != 0 ? status : MPJ_Am_flush();
}

static int work(void)
{
  return job.kind <= LONG ? collective() : job.kind == CALLS ? call() : message();
}

/* Preparation */

static int on_header(void *ctx, MPJ_Am_message m, const MPJ_Am_info *info, MPJ_Am_target *target)
{
  (void)ctx, (void)m, (void)info;
  *target = (MPJ_Am_target){job.landing, job.dense};
  return MPJ_AM_TAKE;
}

static void prepare(void)
{
  const MPJ_Aint stride = job.n * 2 * (MPJ_Aint)sizeof(double);
  MPJ_Datatype one;
  job.n = job.kind == LONG || job.kind == MESSAGES ? LONG_ELEMENTS : 2;
  MPJ_Type_contiguous(job.n, MPJ_DOUBLE, &job.dense);
  MPJ_Type_vector(job.n, 1, 2, MPJ_DOUBLE, &one);
  MPJ_Type_create_hvector(job.size, 1, stride, one, &job.gaps);
  MPJ_Type_commit(&job.dense);
  MPJ_Type_commit(&job.gaps);
  MPJ_Type_free(&one);
  const size_t most = (size_t)(job.n * 2 * job.size) + 1;
  job.a = calloc(most, sizeof(double));
  job.b = calloc(most, sizeof(double));
  job.landing = calloc(most, sizeof(double));
  if (!job.a || !job.b || !job.landing) exit(2);
  MPJ_Am_register(TAKE, on_header, NULL, NULL);
  MPJ_Am_register_function(ADD, (void (*)(void))add, 2, (const MPJ_Datatype[]){MPJ_INT, MPJ_INT},
                           MPJ_INT);
}

static void clean_up(void)
{
  MPJ_Type_free(&job.gaps);
  MPJ_Type_free(&job.dense);
  free(job.a);
  free(job.b);
  free(job.landing);
}

static int open_descriptors(void)
{
  int n = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (folder && readdir(folder))
    n++;
  if (folder) closedir(folder);
  return n;
}

/* The victim */

static void *die_in_time(void *arg)
{
  (void)arg;
  usleep((useconds_t)job.after_us);
  atomic_store(death(), now_us());
  raise(SIGKILL);
  return NULL;
}

static int be_victim(void)
{
  pthread_t clock;
  if (pthread_create(&clock, NULL, die_in_time, NULL) != 0) return 1;
  while (work() == MPJ_SUCCESS) {
  }
  return fail("the victim got an error");
}

/* The others */

static int check_error(int status)
{
  char name[32];
  snprintf(name, sizeof name, "rank %d", job.victim);
  if (status != MPJ_ERR_PEER) return fail("not MPJ_ERR_PEER");
  if (!strstr(MPJ_Error_detail(), name)) return fail("the victim is not named");
  printf("noticed %d %lld\n", job.rank, (long long)(now_us() - atomic_load(death())));
  if (job.kind <= LONG && MPJ_Barrier(MPJ_COMM_WORLD) != MPJ_ERR_PEER)
    return fail("a later barrier");
  return 0;
}

/* Go on answering until all survivors have got their error. */
static int wait_for_others(void)
{
  const double end = MPJ_Wtime() + PATIENCE_S;
  atomic_fetch_add(&job.board->done, 1);
  while (atomic_load(&job.board->done) < job.size - 1) {
    if (MPJ_Wtime() > end) return fail("some rank has not got its error");
    MPJ_Am_progress(NULL);
    usleep(50);
  }
  return 0;
}

static int survive(void)
{
  int status = MPJ_SUCCESS;
  while (status == MPJ_SUCCESS)
    status = work();
  const int failed = check_error(status);
  return wait_for_others() || failed;
}

static void draw_plan(unsigned seed)
{
  job.dice = seed * 2654435761u;
  job.kind = (enum kind)draw(KINDS);
  job.victim = (int)draw((unsigned)job.size);
  job.after_us = (long)draw(LONGEST_US);
  if (job.kind > LONG) job.dice += (unsigned)job.rank * 40503u;
}

static int run(unsigned seed)
{
  const int descriptors = open_descriptors();
  const long outstanding = mpj_memory_outstanding();
  if (MPJ_Init(NULL, NULL) != MPJ_SUCCESS) return 1;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &job.rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &job.size);
  job.board = board_map();
  if (!job.board || MPJ_Barrier(MPJ_COMM_WORLD) != MPJ_SUCCESS) return 1;
  draw_plan(seed);
  prepare();
  board_begin(job.board, job.victim);
  board_forget();
  const int failed = job.rank == job.victim ? be_victim() : survive();
  clean_up();
  if (MPJ_Finalize() != MPJ_SUCCESS) return fail("MPJ_Finalize");
  mpj_layout_forget_permanent();
  if (open_descriptors() > descriptors) return fail("descriptors are left open");
  if (mpj_memory_outstanding() > outstanding + KEPT || mpj_type_live() != 0)
    return fail("allocations are left");
  if (failed == 0) printf("survived %d %d\n", job.rank, (int)getpid());
  return failed;
}

int main(int argc, char **argv)
{
  if (argc != 2) {
    fprintf(stderr, "usage: coll_kills SEED\n");
    return 2;
  }
  alarm(3 * PATIENCE_S);
  return run((unsigned)atoi(argv[1]));
}
