/* This file is a program one of whose ranks goes at some time while all repeat one call of arrays:
 *
 *   array_kills [--threads N] CALL MICROSECONDS VICTIM
 *
 * As a process of a job it is killed. On N threads it leaves, having called MPJ_Finalize, between
 * two calls. The others stay, calling nothing, until all of them have heard of it. What their call
 * says begins with its name and names who has gone. Of a rank that was killed it names no function
 * that the program has not called; who left in order is named with the operations of both. */
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <mpj/array.h>
#include <mpj/mpj.h>

#include "coll/board.h"

enum { SIZE = 4000, WANTED = 500, PATIENCE_S = 10 };

struct work {
  int p, rank;
  MPJ_Array array, other, copies, ghosts;
  MPJ_Schedule remap, wanted, spread, joined; /* spread: to copies; joined: it and remap */
  MPJ_Axis axes[2];
  MPJ_Count index[WANTED];
  int ranks[WANTED];
  double *from, *to, *fetched;
};

static int free_made(int status, MPJ_Schedule *made)
{
  if (!status) MPJ_Schedule_free(made);
  return status;
}

static int wait_for(int status, MPJ_Request *request)
{
  return status ? status : MPJ_Wait(request);
}

static int run_persistent(int status, MPJ_Request *request)
{
  if (status) return status;
  for (int i = 0; i < 3 && !status; i++)
    status = wait_for(MPJ_Start(request), request);
  if (!status) MPJ_Request_free(request);
  return status;
}

static int create(struct work *w, long i)
{
  MPJ_Array array;
  const int status = MPJ_Array_create(1, &w->axes[i % 2], 1, &w->p, MPJ_ORDER_C, MPJ_DOUBLE,
                                      MPJ_COMM_WORLD, &array);
  if (!status) MPJ_Array_free(&array);
  return status;
}

static int remap(struct work *w, long i)
{
  MPJ_Schedule s;
  return free_made(MPJ_Remap_create(w->array, NULL, i % 2 ? w->other : w->copies, NULL, NULL, &s),
                   &s);
}

static int between(struct work *w, long i)
{
  MPJ_Schedule s;
  return free_made(MPJ_Remap_create_between(i % 2 ? w->array : w->other, NULL, w->other, NULL, NULL,
                                            MPJ_COMM_WORLD, &s),
                   &s);
}

static int halo(struct work *w, long i)
{
  MPJ_Schedule s;
  return free_made(MPJ_Halo_create(i % 2 ? w->array : w->ghosts, w->ghosts, NULL, NULL, 1, &s), &s);
}

static int shift(struct work *w, long i)
{
  MPJ_Schedule s;
  return free_made(MPJ_Shift_create(w->array, 0, i % 100, (int)(i % 3), &s), &s);
}

static int subscript(struct work *w, long i)
{
  MPJ_Schedule s;
  return free_made(MPJ_Subscript_create(w->array, WANTED - i % 2, w->index, NULL, &s), &s);
}

static int graph(struct work *w, long i)
{
  MPJ_Schedule s;
  return free_made(MPJ_Graph_create(SIZE, WANTED - i % 2, NULL, w->ranks, w->index, MPJ_DOUBLE,
                                    MPJ_COMM_WORLD, &s),
                   &s);
}

static int join(struct work *w, long i)
{
  MPJ_Schedule s;
  const MPJ_Schedule both[2] = {w->remap, w->wanted};
  return free_made(MPJ_Schedule_join(1 + (int)(i % 2), both, &s), &s);
}

static int limit(struct work *w, long i)
{
  const MPJ_Schedule bounded[3] = {w->remap, w->wanted, w->joined};
  return MPJ_Schedule_limit(bounded[i % 3], i % 4 < 2 ? 4096 : 2048);
}

static int forward(struct work *w, long i)
{
  const void *const from[2] = {w->from, w->from};
  void *const to[2] = {w->to, w->fetched};
  if (i % 3 == 2) return MPJ_Schedule_forward(w->joined, from, (void *)(uintptr_t)to);
  return MPJ_Schedule_forward(i % 2 ? w->spread : w->wanted, w->from, w->to);
}

static int backward(struct work *w, long i)
{
  void *const from[2] = {w->from, w->fetched};
  const void *const to[2] = {w->to, w->to};
  if (i % 3 == 2) return MPJ_Schedule_backward(w->joined, (void *)(uintptr_t)from, to, MPJ_SUM);
  return MPJ_Schedule_backward(i % 2 ? w->spread : w->wanted, w->from, w->to, MPJ_SUM);
}

static int fetch_op(struct work *w, long i)
{
  return MPJ_Schedule_fetch_op(i % 2 ? w->remap : w->wanted, w->from, w->to, w->fetched, MPJ_SUM);
}

static int iforward(struct work *w, long i)
{
  MPJ_Request r;
  return wait_for(MPJ_Schedule_iforward(i % 2 ? w->remap : w->spread, w->from, w->to, &r), &r);
}

static int ibackward(struct work *w, long i)
{
  MPJ_Request r;
  return wait_for(
      MPJ_Schedule_ibackward(i % 2 ? w->wanted : w->spread, w->from, w->to, MPJ_SUM, &r), &r);
}

static int ifetch_op(struct work *w, long i)
{
  MPJ_Request r;
  return wait_for(MPJ_Schedule_ifetch_op(i % 2 ? w->wanted : w->spread, w->from, w->to, w->fetched,
                                         MPJ_SUM, &r),
                  &r);
}

static int forward_init(struct work *w, long i)
{
  MPJ_Request r;
  return run_persistent(MPJ_Schedule_forward_init(i % 2 ? w->remap : w->spread, w->from, w->to, &r),
                        &r);
}

static int backward_init(struct work *w, long i)
{
  MPJ_Request r;
  return run_persistent(
      MPJ_Schedule_backward_init(i % 2 ? w->wanted : w->spread, w->from, w->to, MPJ_SUM, &r), &r);
}

static int remap_once(struct work *w, long i)
{
  return MPJ_Remap(w->array, NULL, i % 2 ? w->other : w->copies, NULL, NULL, w->from, w->to);
}

static int subscript_once(struct work *w, long i)
{
  return MPJ_Subscript(w->array, WANTED - i % 2, w->index, NULL, w->from, w->to);
}

static const struct call {
  const char *name;
  int (*call)(struct work *w, long i); /* i: of all calls */
  bool requests;                       /* it also starts and waits for requests */
} calls[] = {
    {"MPJ_Array_create", create, false},
    {"MPJ_Remap_create", remap, false},
    {"MPJ_Remap_create_between", between, false},
    {"MPJ_Halo_create", halo, false},
    {"MPJ_Shift_create", shift, false},
    {"MPJ_Subscript_create", subscript, false},
    {"MPJ_Graph_create", graph, false},
    {"MPJ_Schedule_join", join, false},
    {"MPJ_Schedule_limit", limit, false},
    {"MPJ_Schedule_forward", forward, false},
    {"MPJ_Schedule_backward", backward, false},
    {"MPJ_Schedule_fetch_op", fetch_op, false},
    {"MPJ_Schedule_iforward", iforward, true},
    {"MPJ_Schedule_ibackward", ibackward, true},
    {"MPJ_Schedule_ifetch_op", ifetch_op, true},
    {"MPJ_Schedule_forward_init", forward_init, true},
    {"MPJ_Schedule_backward_init", backward_init, true},
    {"MPJ_Remap", remap_once, false},
    {"MPJ_Subscript", subscript_once, false},
};

static void prepare(struct work *w)
{
  const int grid[2] = {w->p, 1}, copies[2] = {1, w->p};
  MPJ_Axis ghosts = {.size = SIZE, .distribute = MPJ_DISTRIBUTE_BLOCK, .periodic = 1};
  ghosts.ghost_low = ghosts.ghost_high = 3;
  w->axes[0] = (MPJ_Axis){.size = SIZE, .distribute = MPJ_DISTRIBUTE_BLOCK};
  w->axes[1] = (MPJ_Axis){.size = SIZE, .distribute = MPJ_DISTRIBUTE_CYCLIC, .darg = 3};
  w->from = calloc(3 * (SIZE + 6), sizeof *w->from);
  w->to = w->from + SIZE + 6;
  w->fetched = w->to + SIZE + 6;
  for (int i = 0; i < WANTED; i++) {
    w->index[i] = (i * 37) % 400;
    w->ranks[i] = i % w->p;
  }
  const MPJ_Comm world = MPJ_COMM_WORLD;
  MPJ_Array_create(1, &w->axes[0], 2, grid, MPJ_ORDER_C, MPJ_DOUBLE, world, &w->array);
  MPJ_Array_create(1, &w->axes[1], 2, grid, MPJ_ORDER_C, MPJ_DOUBLE, world, &w->other);
  MPJ_Array_create(1, &w->axes[0], 2, copies, MPJ_ORDER_C, MPJ_DOUBLE, world, &w->copies);
  MPJ_Array_create(1, &ghosts, 2, grid, MPJ_ORDER_C, MPJ_DOUBLE, world, &w->ghosts);
  MPJ_Remap_create(w->array, NULL, w->other, NULL, NULL, &w->remap);
  MPJ_Remap_create(w->array, NULL, w->copies, NULL, NULL, &w->spread);
  MPJ_Subscript_create(w->array, WANTED, w->index, NULL, &w->wanted);
  const MPJ_Schedule both[2] = {w->remap, w->spread};
  MPJ_Schedule_join(2, both, &w->joined);
}

/* The first functions that a sentence names, or all, have been called by the program; the first is
 * at its beginning. */
static bool is_users(const struct call *call, const char *why, int first)
{
  bool good = strncmp(why, "MPJ_", 4) == 0;
  for (const char *at = why; good && first-- > 0 && (at = strstr(at, "MPJ_")); at++) {
    const size_t n = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");
    good =
        (strlen(call->name) == n && strncmp(at, call->name, n) == 0) ||
        (call->requests && (strncmp(at, "MPJ_Wait", n) == 0 || strncmp(at, "MPJ_Start", n) == 0));
  }
  return good;
}

static void die(int signal)
{
  (void)signal;
  kill(getpid(), SIGKILL);
}

static int64_t now_us(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

struct job {
  const struct call *call;
  long after_us;
  int victim;
  bool threads;
  struct board *board;
};

/* Whether this rank has heard what it must. */
static bool work(const struct job *job, struct work *w)
{
  int status = 0;
  MPJ_Comm_size(MPJ_COMM_WORLD, &w->p);
  MPJ_Comm_rank(MPJ_COMM_WORLD, &w->rank);
  prepare(w);
  const bool dies = w->rank == job->victim;
  const int64_t until = now_us() + job->after_us;
  if (dies && !job->threads) {
    const struct itimerval when = {
        .it_value = {.tv_sec = job->after_us / 1000000, .tv_usec = job->after_us % 1000000}};
    signal(SIGALRM, die);
    setitimer(ITIMER_REAL, &when, NULL);
  }
  for (long i = 0; !status; i++) {
    if (dies && job->threads && now_us() >= until) return true;
    status = job->call->call(w, i);
  }
  const char *why = MPJ_Error_detail();
  char name[24];
  snprintf(name, sizeof name, "rank %d", job->victim);
  const bool heard = status == MPJ_ERR_PEER && strstr(why, name) &&
                     is_users(job->call, why, job->threads ? 1 : INT_MAX);
  printf("rank %d %s: %s\n", w->rank, heard ? "heard" : "has heard what it must not", why);
  fflush(stdout);
  if (!board_meet(job->board, w->p - 1, PATIENCE_S)) {
    printf("rank %d: others have not heard\n", w->rank);
    return false;
  }
  return heard;
}

static int rank_main(void *ctx)
{
  struct work w = {0};
  const bool heard = work(ctx, &w);
  free(w.from);
  return !heard;
}

int main(int argc, char **argv)
{
  struct job job = {0};
  int threads = 0;
  if (argc == 6 && !strcmp(argv[1], "--threads")) threads = atoi(argv[2]);
  if (argc != (threads > 0 ? 6 : 4)) return 2;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (!strcmp(calls[i].name, argv[argc - 3])) job.call = &calls[i];
  if (!job.call) return 2;
  job.after_us = atol(argv[argc - 2]);
  job.victim = atoi(argv[argc - 1]);
  job.threads = threads > 0;
  job.board = &board_of_threads;
  if (threads > 0) return MPJ_Run_threads(threads, rank_main, &job);
  if (MPJ_Init(&argc, &argv)) return 2;
  job.board = board_map();
  if (!job.board || MPJ_Barrier(MPJ_COMM_WORLD)) return 2;
  board_begin(job.board, job.victim);
  board_forget();
  return rank_main(&job);
}
