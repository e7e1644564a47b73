/* This file is a program of three ranks, of which the last goes while the others are inside
 * operations of active messages that need it:
 *
 *   coll_am_deaths kill OPERATION   it is killed: each gets MPJ_ERR_PEER with its name and the
 *                                   cause in 5 s, and prints "survived <rank>"
 *   coll_am_deaths stop OPERATION   it is stopped for 6 s (SIGSTOP), which is not death: the
 *                                   operation takes that long, and succeeds
 *
 * OPERATION: send, long_send, flush, call, put, long_put, get, long_get, wait. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpj/am.h>
#include <mpj/mpj.h>

#include "coll/board.h"

enum { RANKS = 3, VICTIM = RANKS - 1, SHORT = 4, LONG = 200000, PATIENCE_S = 30 };
enum { TAKE = 1, ADD = 2, TELL = 3 };

static struct {
  int rank;
  bool stops; /* the victim, instead of dying */
  struct board *board;
  MPJ_Datatype few, many;
  double *mine, *landing; /* [LONG] */
  MPJ_Am_region regions[RANKS], long_regions[RANKS];
  volatile int told;
} job;

static int fail(const char *what)
{
  fprintf(stderr, "rank %d: %s: %s\n", job.rank, what, MPJ_Error_detail());
  return 1;
}

static _Atomic uint64_t *victims_pid(void)
{
  return &job.board->entered[BOARD_RANKS - 1];
}

/* Operations, each with all that it takes to know of its end */

static int then_flush(int status)
{
  return status == MPJ_SUCCESS ? MPJ_Am_flush() : status;
}

static int do_send(void)
{
  return then_flush(MPJ_Am_send(VICTIM, TAKE, NULL, 0, job.mine, job.few, NULL, NULL));
}

static int do_long_send(void)
{
  const int status = MPJ_Am_send(VICTIM, TAKE, NULL, 0, job.mine, job.many, NULL, NULL);
  if (status == MPJ_SUCCESS && !job.stops) return MPJ_ERR_INTERNAL; /* it waited for the victim */
  return then_flush(status);
}

static int do_flush(void)
{
  for (int i = 0; i < 100; i++) { /* more than may be under way */
    const int status = MPJ_Am_send(VICTIM, TAKE, &i, sizeof i, NULL, MPJ_DATATYPE_NULL, NULL, NULL);
    if (status != MPJ_SUCCESS) return status;
  }
  return MPJ_Am_flush();
}

static int do_call(void)
{
  const int a = 20, b = 22;
  int sum = 0;
  const int status = MPJ_Am_call(VICTIM, ADD, (const void *const[]){&a, &b}, &sum);
  return status != MPJ_SUCCESS || sum == 42 ? status : MPJ_ERR_INTERNAL;
}

static int do_put(void)
{
  return then_flush(MPJ_Am_put(job.mine, job.few, &job.regions[VICTIM], NULL, NULL));
}

static int do_long_put(void)
{
  return then_flush(MPJ_Am_put(job.mine, job.many, &job.long_regions[VICTIM], NULL, NULL));
}

static int do_get(void)
{
  return MPJ_Am_get(job.landing, job.few, &job.regions[VICTIM], NULL, NULL);
}

static int do_long_get(void)
{
  return MPJ_Am_get(job.landing, job.many, &job.long_regions[VICTIM], NULL, NULL);
}

static int do_wait(void)
{
  return MPJ_Am_wait(&job.told, 1);
}

static const struct {
  const char *name;
  int (*run)(void);
} operations[] = {
    {"send", do_send}, {"long_send", do_long_send}, {"flush", do_flush}, {"call", do_call},
    {"put", do_put},   {"long_put", do_long_put},   {"get", do_get},     {"long_get", do_long_get},
    {"wait", do_wait}};

/* Preparation */

static int on_header(void *ctx, MPJ_Am_message m, const MPJ_Am_info *info, MPJ_Am_target *target)
{
  (void)ctx, (void)m;
  *target = (MPJ_Am_target){job.landing, info->bytes > SHORT * 16 ? job.many : job.few};
  return info->bytes > 0 ? MPJ_AM_TAKE : MPJ_AM_DROP_PAYLOAD;
}

static int on_tell(void *ctx, MPJ_Am_message m, const MPJ_Am_info *info, MPJ_Am_target *target)
{
  (void)ctx, (void)m, (void)info, (void)target;
  job.told = 1;
  return MPJ_AM_DROP_PAYLOAD;
}

static int add(int a, int b)
{
  return a + b;
}

static int learn(MPJ_Datatype type, MPJ_Am_region regions[])
{
  MPJ_Am_region own;
  MPJ_Datatype one, all;
  MPJ_Type_contiguous(sizeof own, MPJ_BYTE, &one);
  MPJ_Type_contiguous(RANKS, one, &all);
  MPJ_Type_commit(&one);
  MPJ_Type_commit(&all);
  int status = MPJ_Am_expose(job.mine, type, &own);
  if (status == MPJ_SUCCESS) status = MPJ_Allgather(&own, one, regions, all, MPJ_COMM_WORLD);
  MPJ_Type_free(&one);
  MPJ_Type_free(&all);
  return status;
}

/* Data with gaps, so that it goes by way of both sides. */
static int prepare(void)
{
  MPJ_Type_vector(SHORT, 1, 2, MPJ_DOUBLE, &job.few);
  MPJ_Type_vector(LONG / 2, 1, 2, MPJ_DOUBLE, &job.many);
  MPJ_Type_commit(&job.few);
  MPJ_Type_commit(&job.many);
  job.mine = calloc(LONG, sizeof(double));
  job.landing = calloc(LONG, sizeof(double));
  if (!job.mine || !job.landing) return 1;
  MPJ_Am_register(TAKE, on_header, NULL, NULL);
  MPJ_Am_register(TELL, on_tell, NULL, NULL);
  MPJ_Am_register_function(ADD, (void (*)(void))add, 2, (const MPJ_Datatype[]){MPJ_INT, MPJ_INT},
                           MPJ_INT);
  return learn(job.few, job.regions) || learn(job.many, job.long_regions) ||
         MPJ_Barrier(MPJ_COMM_WORLD);
}

/* The victim: goes when both others are about to call, and a little later. */

static int serve(void)
{
  for (int rank = 0; rank < VICTIM; rank++)
    MPJ_Am_send(rank, TELL, NULL, 0, NULL, MPJ_DATATYPE_NULL, NULL, NULL);
  while (atomic_load(&job.board->done) < VICTIM)
    MPJ_Am_progress(NULL);
  return 0;
}

static int be_victim(void)
{
  atomic_store(victims_pid(), (uint64_t)getpid());
  if (!board_ready(job.board, RANKS, PATIENCE_S)) return fail("the others do not begin");
  usleep(100000);
  raise(job.stops ? SIGSTOP : SIGKILL);
  return serve();
}

/* The others */

static void *wake_victim(void *arg)
{
  (void)arg;
  sleep(6);
  kill((pid_t)atomic_load(victims_pid()), SIGCONT);
  return NULL;
}

static int check(int status, double seconds)
{
  if (job.stops) {
    if (status != MPJ_SUCCESS) return fail("the operation failed");
    return seconds > 5 ? 0 : fail("nobody was stopped");
  }
  if (status != MPJ_ERR_PEER) return fail("not MPJ_ERR_PEER");
  if (!strstr(MPJ_Error_detail(), "rank 2")) return fail("the victim is not named");
  if (!strstr(MPJ_Error_detail(), "was killed") && !strstr(MPJ_Error_detail(), "was lost") &&
      !strstr(MPJ_Error_detail(), "ended without"))
    return fail("the cause is not named");
  return 0;
}

static int survive(int (*run)(void))
{
  pthread_t waker;
  if (!board_ready(job.board, RANKS, PATIENCE_S)) return fail("the others do not begin");
  const bool wakes = job.stops && job.rank == 0;
  if (wakes && pthread_create(&waker, NULL, wake_victim, NULL) != 0) return fail("no thread");
  const double begun = MPJ_Wtime();
  const int status = run();
  const int failed = check(status, MPJ_Wtime() - begun);
  if (wakes) pthread_join(waker, NULL);
  if (!board_meet(job.board, VICTIM, PATIENCE_S)) return fail("the other has not got its end");
  if (!failed) printf("survived %d\n", job.rank);
  return failed;
}

static int play(int (*run)(void))
{
  job.board = board_map();
  if (!job.board || prepare()) return fail("no beginning");
  board_forget();
  const int failed = job.rank == VICTIM ? be_victim() : survive(run);
  free(job.mine);
  free(job.landing);
  return failed;
}

int main(int argc, char **argv)
{
  const int n = (int)(sizeof operations / sizeof *operations);
  int size = 0, i = 0;
  while (argc == 3 && i < n && strcmp(argv[2], operations[i].name) != 0)
    i++;
  if (argc != 3 || i == n || MPJ_Init(NULL, NULL) != MPJ_SUCCESS) return 2;
  alarm(3 * PATIENCE_S);
  MPJ_Comm_rank(MPJ_COMM_WORLD, &job.rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  job.stops = strcmp(argv[1], "stop") == 0;
  if (size != RANKS) return 2;
  const int failed = play(operations[i].run);
  return MPJ_Finalize() == MPJ_SUCCESS ? failed : fail("MPJ_Finalize");
}
