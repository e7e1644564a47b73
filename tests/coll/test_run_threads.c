/* This file checks MPJ_Run_threads: results, life of a thread rank, many ranks,
 * many runs, runs at once. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpj/am.h>
#include <mpj/mpj.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/suite.h"
#include "coll/calls/collective.h"
#include "coll/comm/context.h"
#include "types/layout/layout.h"
#include "types/type.h"

enum { MOST = 256 };

static int rank_of(MPJ_Comm comm)
{
  int rank = -1;
  return MPJ_Comm_rank(comm, &rank) == MPJ_SUCCESS ? rank : -1;
}

static int size_of(MPJ_Comm comm)
{
  int size = -1;
  return MPJ_Comm_size(comm, &size) == MPJ_SUCCESS ? size : -1;
}

/* Every rank sends its rank and gets the sum's parts back: 0 if all is right. */
static int gather_and_scatter(void *arg)
{
  int mine, all[MOST] = {0}, back = -1;
  const int rounds = arg ? *(const int *)arg : 1;
  const int rank = rank_of(MPJ_COMM_WORLD), size = size_of(MPJ_COMM_WORLD), root = size / 2;
  MPJ_Datatype parts;
  if (MPJ_Type_contiguous(size, MPJ_INT, &parts) || MPJ_Type_commit(&parts)) return 10;
  for (int i = 0; i < rounds; i++) {
    mine = rank + i;
    if (MPJ_Gather(&mine, MPJ_INT, all, parts, root, MPJ_COMM_WORLD)) return 11;
    for (int r = 0; r < size && rank == root; r++)
      if (all[r] != r + i) return 12;
    if (MPJ_Scatter(all, parts, &back, MPJ_INT, root, MPJ_COMM_WORLD)) return 13;
    if (back != rank + i) return 14;
    if (MPJ_Barrier(MPJ_COMM_WORLD)) return 15;
  }
  return MPJ_Type_free(&parts) ? 16 : 0;
}

START_TEST(as_many_ranks_as_are_allowed_work_together)
{
  const int counts[] = {1, 2, 64, MOST};
  for (int i = 0; i < 4; i++)
    ck_assert_int_eq(MPJ_Run_threads(counts[i], gather_and_scatter, NULL), 0);
}
END_TEST

static int count_itself(void *arg)
{
  atomic_fetch_add((atomic_int *)arg, 1);
  return 0;
}

START_TEST(other_numbers_of_ranks_are_an_error)
{
  atomic_int calls = 0;
  const int counts[] = {0, -1, INT32_MIN};
  for (int i = 0; i < 3; i++) {
    char text[32];
    ck_assert_int_eq(MPJ_Run_threads(counts[i], count_itself, &calls), MPJ_ERR_ARG);
    snprintf(text, sizeof text, "nranks is %d", counts[i]);
    ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), text));
  }
  ck_assert_int_eq(MPJ_Run_threads(2, NULL, NULL), MPJ_ERR_ARG);
  ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "fn is NULL"));
  ck_assert_int_eq(calls, 0);
}
END_TEST

START_TEST(the_argument_reaches_every_rank)
{
  atomic_int calls = 0;
  ck_assert_int_eq(MPJ_Run_threads(9, count_itself, &calls), 0);
  ck_assert_int_eq(calls, 9);
}
END_TEST

static int return_rank_2(void *arg)
{
  (void)arg;
  return rank_of(MPJ_COMM_WORLD) == 2 ? -42 : 0;
}

/* The detail says so as well, as the negative number that it is. */
static int hear_of_rank_2(void *arg)
{
  (void)arg;
  if (rank_of(MPJ_COMM_WORLD) == 2) return -42;
  if (MPJ_Barrier(MPJ_COMM_WORLD) != MPJ_ERR_PEER) return 1;
  return strstr(MPJ_Error_detail(), "rank 2") && strstr(MPJ_Error_detail(), "returned -42") ? 0 : 2;
}

START_TEST(a_result_that_is_not_zero_comes_back)
{
  ck_assert_int_eq(MPJ_Run_threads(4, return_rank_2, NULL), -42);
  ck_assert_int_eq(MPJ_Run_threads(4, hear_of_rank_2, NULL), -42);
}
END_TEST

static int live(void *arg)
{
  int i = -1, f = -1, data = 0;
  (void)arg;
  if (MPJ_Initialized(&i) || MPJ_Finalized(&f) || i != 1 || f != 0) return 1;
  if (MPJ_Init(NULL, NULL) != MPJ_SUCCESS) return 2;
  if (MPJ_Init(NULL, NULL) != MPJ_ERR_INTERNAL) return 3;
  if (MPJ_Barrier(MPJ_COMM_WORLD)) return 4;
  if (MPJ_Finalize() != MPJ_SUCCESS) return 5;
  if (MPJ_Initialized(&i) || MPJ_Finalized(&f) || i != 1 || f != 1) return 6;
  if (MPJ_Barrier(MPJ_COMM_WORLD) != MPJ_ERR_COMM) return 7;
  if (!strstr(MPJ_Error_detail(), "MPJ_Finalize")) return 8;
  if (MPJ_Bcast(&data, MPJ_INT, 0, MPJ_COMM_SELF) != MPJ_ERR_COMM) return 9;
  if (MPJ_Finalize() != MPJ_ERR_INTERNAL) return 10;
  return MPJ_Init(NULL, NULL) == MPJ_ERR_INTERNAL ? 0 : 11;
}

START_TEST(a_thread_rank_may_init_and_finalize_once)
{
  ck_assert_int_eq(MPJ_Run_threads(3, live, NULL), 0);
  int flag = -1;
  ck_assert_int_eq(MPJ_Initialized(&flag), MPJ_SUCCESS);
  ck_assert_int_eq(flag, 0); /* this thread is no rank */
}
END_TEST

static int run_inside(void *arg)
{
  if (MPJ_Run_threads(2, count_itself, arg) != MPJ_ERR_INTERNAL) return 1;
  return strstr(MPJ_Error_detail(), "was called by thread rank") ? 0 : 2;
}

START_TEST(a_rank_cannot_run_ranks)
{
  atomic_int calls = 0;
  ck_assert_int_eq(MPJ_Run_threads(3, run_inside, &calls), 0);
  ck_assert_int_eq(calls, 0);
}
END_TEST

START_TEST(runs_can_be_repeated_and_leave_nothing)
{
  mpj_layout_forget_permanent();
  const long outstanding = mpj_memory_outstanding();
  for (int i = 0; i < 200; i++) {
    ck_assert_int_eq(MPJ_Run_threads(1 + i % 5, gather_and_scatter, NULL), 0);
    mpj_layout_forget_permanent();
    ck_assert_int_eq(mpj_memory_outstanding(), outstanding);
  }
  ck_assert_uint_eq(mpj_type_live(), 0);
  ck_assert_uint_eq(mpj_layout_live(), 0);
}
END_TEST

struct one_run {
  int nranks, rounds, status;
};

static void *run_ranks(void *arg)
{
  struct one_run *run = arg;
  run->status = MPJ_Run_threads(run->nranks, gather_and_scatter, &run->rounds);
  return NULL;
}

START_TEST(two_runs_go_on_at_once)
{
  struct one_run runs[] = {{3, 300, -1}, {5, 200, -1}};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, run_ranks, &runs[i]), 0);
  for (int i = 0; i < 2; i++)
    ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
  ck_assert_int_eq(runs[0].status, 0);
  ck_assert_int_eq(runs[1].status, 0);
}
END_TEST

static int fail_with_little_memory(void *arg)
{
  (void)arg;
  return 0;
}

START_TEST(a_run_without_memory_says_so_and_leaves_nothing)
{
  mpj_layout_forget_permanent();
  const long outstanding = mpj_memory_outstanding();
  int status = MPJ_ERR_NO_MEM;
  for (long successes = 0; status != MPJ_SUCCESS; successes++) {
    mpj_memory_fail_after(successes);
    status = MPJ_Run_threads(3, fail_with_little_memory, NULL);
    mpj_memory_fail_after(-1);
    ck_assert_msg(status == MPJ_SUCCESS || status == MPJ_ERR_NO_MEM, "%d: %s", status,
                  MPJ_Error_detail());
    ck_assert_int_eq(mpj_memory_outstanding(), outstanding);
  }
}
END_TEST

/* How far the three ranks of the next test are. */
struct progress {
  atomic_int root_failed;
};

static bool await_flag(atomic_int *flag)
{
  const double end = MPJ_Wtime() + 20;
  while (!atomic_load(flag) && MPJ_Wtime() < end)
    usleep(100);
  return atomic_load(flag);
}

static bool names_rank_1(int status)
{
  return status == MPJ_ERR_PEER && strstr(MPJ_Error_detail(), "rank 1");
}

/* Wait until rank 1 has said that it is about to leave. */
static bool await_leave(void)
{
  const double end = MPJ_Wtime() + 20;
  struct mpj_net *net = mpj_context_current()->net;
  while (!mpj_net_is_leaving(net, 1) && MPJ_Wtime() < end)
    MPJ_Am_progress(NULL);
  return mpj_net_is_leaving(net, 1);
}

/* The root does a window of broadcasts, as far as it gets without rank 2. */
static int fail_beyond_the_window(void *arg)
{
  enum { WINDOW = 32 };
  struct progress *progress = arg;
  const int rank = rank_of(MPJ_COMM_WORLD);
  int data = 0, status = MPJ_SUCCESS;
  if (rank == 2 && !await_flag(&progress->root_failed)) return 1;
  for (int i = 0; i < WINDOW && status == MPJ_SUCCESS; i++)
    status = MPJ_Bcast(&data, MPJ_INT, 0, MPJ_COMM_WORLD);
  if (rank == 1) /* which is needed once more */
    return status == MPJ_SUCCESS && MPJ_Finalize() == MPJ_ERR_COMM ? 0 : 4;
  if (rank == 0 && (status != MPJ_SUCCESS || !await_leave())) return 2;
  if (status == MPJ_SUCCESS) status = MPJ_Bcast(&data, MPJ_INT, 0, MPJ_COMM_WORLD);
  const bool named = names_rank_1(status);
  if (rank == 0) atomic_store(&progress->root_failed, 1);
  return named ? 0 : 3;
}

START_TEST(a_failure_does_not_wait_for_a_rank_that_is_far_behind)
{
  struct progress progress = {0};
  ck_assert_int_eq(MPJ_Run_threads(3, fail_beyond_the_window, &progress), 0);
}
END_TEST

/* Rank 3 dies. Rank 1 hears of it on one communicator and refuses its part of a call of another one
 * for it, in which nobody needs rank 3: the others are told whose death it is. */
static int refuse_for_a_death(void *arg)
{
  const int rank = rank_of(MPJ_COMM_WORLD);
  int data = 0;
  MPJ_Comm other;
  if (MPJ_Comm_dup(MPJ_COMM_WORLD, &other)) return 1;
  if (rank == 3) return *(int *)arg;
  if (rank == 1) {
    const struct mpj_arguments refusal = {.operation = MPJ_OPERATION_BCAST,
                                          .root = 1,
                                          .comm = other,
                                          .refused = MPJ_Barrier(MPJ_COMM_WORLD)};
    return refusal.refused == MPJ_ERR_PEER && mpj_call_blocking(&refusal) == MPJ_ERR_PEER ? 0 : 2;
  }
  const int status = MPJ_Bcast(&data, MPJ_INT, 1, other);
  return status == MPJ_ERR_PEER && strstr(MPJ_Error_detail(), "rank 3") ? 0 : 3;
}

START_TEST(a_call_refused_for_a_death_says_whose)
{
  int code = 77;
  ck_assert_int_eq(MPJ_Run_threads(4, refuse_for_a_death, &code), code);
}
END_TEST

/* A sender whose type overlaps itself sends the shared bytes as often as listed. */
static int send_one_value_often(void *arg)
{
  (void)arg;
  int out = 77, in[1000] = {0};
  MPJ_Datatype often, dense;
  if (MPJ_Type_create_hvector(1000, 1, 0, MPJ_INT, &often) || MPJ_Type_commit(&often)) return 1;
  if (MPJ_Type_contiguous(1000, MPJ_INT, &dense) || MPJ_Type_commit(&dense)) return 2;
  const bool root = rank_of(MPJ_COMM_WORLD) == 1;
  if (MPJ_Bcast(root ? &out : in, root ? often : dense, 1, MPJ_COMM_WORLD)) return 3;
  for (int i = 0; i < 1000 && !root; i++)
    if (in[i] != 77) return 4;
  return MPJ_Type_free(&often) || MPJ_Type_free(&dense) ? 5 : 0;
}

START_TEST(a_sender_may_use_a_type_that_overlaps_itself)
{
  ck_assert_int_eq(MPJ_Run_threads(3, send_one_value_often, NULL), 0);
}
END_TEST

/* The linker puts this before pthread_create: the one after so many fails. */
typedef int create_fn(pthread_t *thread, const pthread_attr_t *attributes, void *(*fn)(void *),
                      void *arg);
create_fn __real_pthread_create, __wrap_pthread_create;
static _Atomic int threads_left = -1;

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*fn)(void *),
                          void *arg)
{
  if (threads_left == 0) return EAGAIN;
  if (threads_left > 0) threads_left--;
  return __real_pthread_create(thread, attributes, fn, arg);
}

static int need_the_third(void *told)
{
  const int status = MPJ_Barrier(MPJ_COMM_WORLD);
  if (rank_of(MPJ_COMM_WORLD) == 0) snprintf(told, 200, "%d %s", status, MPJ_Error_detail());
  return 0;
}

START_TEST(a_rank_for_which_there_is_no_thread_is_told_of_as_such)
{
  char told[200] = "";
  threads_left = 2;
  ck_assert_int_eq(MPJ_Run_threads(3, need_the_third, told), MPJ_ERR_NO_MEM);
  ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "only 2 of 3 threads could be started"));
  threads_left = -1;
  ck_assert_msg(strstr(told, "rank 2") &&
                    strstr(told, "was not begun, as its thread could not be started"),
                "told: %s", told);
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "run_threads", as_many_ranks_as_are_allowed_work_together,
      other_numbers_of_ranks_are_an_error, the_argument_reaches_every_rank,
      a_result_that_is_not_zero_comes_back, a_thread_rank_may_init_and_finalize_once,
      a_rank_cannot_run_ranks, runs_can_be_repeated_and_leave_nothing, two_runs_go_on_at_once,
      a_run_without_memory_says_so_and_leaves_nothing, a_sender_may_use_a_type_that_overlaps_itself,
      a_failure_does_not_wait_for_a_rank_that_is_far_behind, a_call_refused_for_a_death_says_whose,
      a_rank_for_which_there_is_no_thread_is_told_of_as_such);
}
