/* This file runs ranks as threads of one process. */
#include <pthread.h>

#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "coll/comm/context_create.h"
#include "coll/comm/leave.h"
#include "net/chaos/chaos.h"
#include "net/threads/threads.h"

struct run;

struct thread_rank {
  struct run *run;
  struct mpj_context *context; /* owned by the run */
  pthread_t thread;
};

struct run {
  int (*fn)(void *arg);
  void *arg;
  _Atomic int result; /* the first non-zero one */
  _Atomic int left;   /* the first error of a rank that left in good order */
  char why[256];
  struct mpj_segment *segment;
  struct thread_rank *ranks; /* [nranks] */
};

static void note_result(struct run *run, int value)
{
  int none = 0;
  if (value != 0) atomic_compare_exchange_strong(&run->result, &none, value);
}

/* The rank's thread has returned 0: what MPJ_Finalize would have told it is the run's outcome. */
static void leave(struct run *run, struct mpj_context *context)
{
  int none = MPJ_SUCCESS;
  if (context->state == MPJ_CONTEXT_FINALIZED) return;
  const int status = mpj_context_leave(context, false);
  if (status != MPJ_SUCCESS && atomic_compare_exchange_strong(&run->left, &none, status))
    mpj_error_keep(run->why, sizeof run->why);
}

static void *rank_main(void *arg)
{
  struct thread_rank *rank = arg;
  struct run *run = rank->run;
  mpj_context_bind_thread(rank->context);
  rank->context->main_thread = pthread_self();
  const int value = run->fn(run->arg);
  note_result(run, value);
  if (value == 0)
    leave(run, rank->context);
  else
    mpj_context_finalize(rank->context, MPJ_RANK_DEAD,
                         MPJ_CAUSE_RETURNED | (value & (MPJ_CAUSE_RETURNED - 1)));
  mpj_context_bind_thread(NULL);
  return NULL;
}

static int open_rank(struct run *run, int i)
{
  struct mpj_net *net;
  int status = mpj_threads_open(run->segment, i, &net);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_chaos_join(&net, false);
  if (status == MPJ_SUCCESS) status = mpj_context_create(net, &run->ranks[i].context);
  if (status != MPJ_SUCCESS) {
    mpj_net_close(net, MPJ_RANK_DEAD, 0);
    return status;
  }
  run->ranks[i].context->thread_rank = true;
  run->ranks[i].run = run;
  struct mpj_am *am;
  status = mpj_context_am(run->ranks[i].context, &am);
  if (status == MPJ_SUCCESS)
    status = mpj_context_set_threads(run->ranks[i].context, MPJ_THREAD_SINGLE);
  if (status == MPJ_SUCCESS) return status;
  mpj_context_finalize(run->ranks[i].context, MPJ_RANK_DEAD, MPJ_CAUSE_RETURNED);
  mpj_context_free(run->ranks[i].context);
  return status;
}

/* End a rank whose thread was never started, so that the others hear of it. */
static void give_up(struct run *run, int i)
{
  mpj_context_finalize(run->ranks[i].context, MPJ_RANK_DEAD, MPJ_CAUSE_RETURNED);
}

/* Start all threads and wait for those that could be. */
static int run_all(struct run *run, int nranks)
{
  int started = 0, status = MPJ_SUCCESS;
  while (started < nranks) {
    struct thread_rank *rank = &run->ranks[started];
    if (pthread_create(&rank->thread, NULL, rank_main, rank) != 0) break;
    started++;
  }
  if (started < nranks)
    status = mpj_error(MPJ_ERR_NO_MEM, "only %d of %d threads could be started", started, nranks);
  for (int i = started; i < nranks; i++)
    give_up(run, i);
  for (int i = 0; i < started; i++)
    pthread_join(run->ranks[i].thread, NULL);
  if (status == MPJ_SUCCESS) status = atomic_load(&run->result);
  if (status == 0 && run->left != MPJ_SUCCESS) status = mpj_error(run->left, "%s", run->why);
  return status;
}

int MPJ_Run_threads(int nranks, int (*fn)(void *arg), void *arg)
{
  MPJ_ENTRY;
  struct run run = {.fn = fn, .arg = arg};
  const struct mpj_context *current = mpj_context_current();
  if (current && current->thread_rank)
    return mpj_error(MPJ_ERR_INTERNAL, "MPJ_Run_threads was called by thread rank %d",
                     current->rank);
  if (!fn) return mpj_error(MPJ_ERR_ARG, "fn is NULL");
  int status = mpj_threads_segment_create(nranks, &run.segment);
  if (status != MPJ_SUCCESS) return status;
  int open = 0;
  run.ranks = mpj_alloc_array((size_t)nranks, sizeof *run.ranks);
  if (!run.ranks) status = mpj_error(MPJ_ERR_NO_MEM, "no memory for %d thread ranks", nranks);
  while (status == MPJ_SUCCESS && open < nranks) {
    status = open_rank(&run, open);
    if (status == MPJ_SUCCESS) open++;
  }
  if (status == MPJ_SUCCESS) status = run_all(&run, nranks);
  for (int i = 0; i < open; i++) {
    mpj_context_finalize(run.ranks[i].context, MPJ_RANK_DEAD, MPJ_CAUSE_RETURNED);
    mpj_context_free(run.ranks[i].context);
  }
  mpj_free(run.ranks);
  mpj_threads_segment_free(run.segment);
  return status;
}
