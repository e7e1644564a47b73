/* This file tests the progress thread: operations end, handlers run, and deaths are
 * noticed while the rank's own thread does not call the library. The configuration
 * that starts it is set by main. */
#include <mpj/am.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "coll/calls/request.h"
#include "coll/helpers.h"
#include "coll/threads/rank_lock_pass.h"

enum { LONG = 1 << 17 /* ints */, PATIENCE_MS = 20000 };

static void pause_ms(int ms)
{
  const struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&t, NULL);
}

/* Look, without a call that would move anything on, whether a request is done. */
static bool is_done(MPJ_Request request)
{
  struct mpj_context *context = mpj_context_current();
  mpj_rank_lock_acquire(&context->lock);
  const bool done = request->state == MPJ_REQUEST_DONE;
  mpj_rank_lock_release(context);
  return done;
}

/* Whether it ends while this thread stays outside. */
static bool ends_by_itself(MPJ_Request request)
{
  for (int ms = 0; ms < PATIENCE_MS; ms++) {
    if (is_done(request)) return true;
    pause_ms(1);
  }
  return false;
}

static int operations(void *arg)
{
  int me, p, one = 1, sum = 0, round;
  const int counts[] = {1, 1000, LONG};
  (void)arg;
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &me) && !MPJ_Comm_size(MPJ_COMM_WORLD, &p));
  int *from = calloc(LONG, sizeof *from), *to = calloc(LONG, sizeof *to);
  NEED(from && to);
  for (round = 0; round < 3; round++) {
    MPJ_Datatype many;
    MPJ_Request request;
    NEED(!MPJ_Type_contiguous(counts[round], MPJ_INT, &many) && !MPJ_Type_commit(&many));
    for (int i = 0; i < counts[round]; i++)
      from[i] = me + i;
    NEED(!MPJ_Iallreduce(from, many, to, many, MPJ_SUM, MPJ_COMM_WORLD, &request));
    NEED(ends_by_itself(request) && !MPJ_Wait(&request));
    for (int i = 0; i < counts[round]; i++)
      NEED(to[i] == p * i + p * (p - 1) / 2);
    NEED(!MPJ_Ibcast(me == 0 ? to : from, many, 0, MPJ_COMM_WORLD, &request));
    NEED(ends_by_itself(request) && !MPJ_Wait(&request));
    NEED(me == 0 || from[counts[round] - 1] == p * (counts[round] - 1) + p * (p - 1) / 2);
    NEED(!MPJ_Iexscan(&one, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD, &request));
    NEED(ends_by_itself(request) && !MPJ_Wait(&request) && (me == 0 || sum == me));
    NEED(!MPJ_Type_free(&many));
  }
  free(from);
  free(to);
  return 0;
}

START_TEST(operations_end_while_nobody_calls)
{
  play(2, operations, NULL);
  play(4, operations, NULL);
}
END_TEST

/* Calls that block and calls that do not, with pauses of all lengths between. */
static int taking_turns(void *arg)
{
  int me, p, sum = 0;
  (void)arg;
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &me) && !MPJ_Comm_size(MPJ_COMM_WORLD, &p));
  for (int round = 0; round < 60; round++) {
    MPJ_Request request;
    int other = 0;
    NEED(!MPJ_Iallreduce(&me, MPJ_INT, &other, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD, &request));
    if (round % 7 == me) pause_ms(round % 4);
    NEED(!MPJ_Allreduce(&round, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD));
    if (round % 5 == me) pause_ms(2);
    NEED(sum == p * round && !MPJ_Wait(&request) && other == p * (p - 1) / 2);
  }
  return 0;
}

START_TEST(calls_and_the_progress_thread_take_turns)
{
  play(2, taking_turns, NULL);
  play(5, taking_turns, NULL);
}
END_TEST

static int on_word(void *ctx, MPJ_Am_message m, const MPJ_Am_info *info, MPJ_Am_target *target)
{
  (void)m;
  (void)info;
  (void)target;
  atomic_fetch_add((_Atomic int *)ctx, 1);
  return MPJ_AM_DROP_PAYLOAD;
}

static int handlers(void *arg)
{
  _Atomic int heard = 0;
  int me, p;
  (void)arg;
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &me) && !MPJ_Comm_size(MPJ_COMM_WORLD, &p));
  NEED(!MPJ_Am_register(1, on_word, NULL, &heard) && !MPJ_Barrier(MPJ_COMM_WORLD));
  if (me == 0)
    for (int i = 1; i < p; i++)
      NEED(!MPJ_Am_send(i, 1, NULL, 0, NULL, MPJ_DATATYPE_NULL, NULL, NULL));
  for (int ms = 0; me > 0 && atomic_load(&heard) == 0 && ms < PATIENCE_MS; ms++)
    pause_ms(1);
  NEED(me == 0 || atomic_load(&heard) == 1);
  NEED(!MPJ_Am_flush() && !MPJ_Barrier(MPJ_COMM_WORLD));
  return 0;
}

START_TEST(handlers_run_while_their_rank_does_not_call)
{
  play(3, handlers, NULL);
}
END_TEST

static int death(void *arg)
{
  int me;
  MPJ_Request request;
  (void)arg;
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &me) && !MPJ_Barrier(MPJ_COMM_WORLD));
  if (me == 1) return -1;
  NEED(!MPJ_Ibarrier(MPJ_COMM_WORLD, &request));
  NEED(ends_by_itself(request));
  NEED(MPJ_Wait(&request) == MPJ_ERR_PEER && strstr(MPJ_Error_detail(), "rank 1"));
  return 0;
}

START_TEST(death_is_noticed_while_nobody_calls)
{
  ck_assert_int_eq(MPJ_Run_threads(3, death, NULL), -1);
}
END_TEST

/* Two threads of a rank, and the progress thread. */
static int with_helpers(int which, void *arg)
{
  const MPJ_Comm *comms = arg;
  int one = 1, sum, p;
  NEED(!MPJ_Comm_size(comms[which], &p));
  for (int round = 0; round < 20; round++) {
    MPJ_Request request;
    NEED(!MPJ_Iallreduce(&one, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, comms[which], &request));
    NEED(round % 4 != 0 || ends_by_itself(request));
    NEED(!MPJ_Wait(&request) && sum == p);
  }
  return 0;
}

static int many_threads(void *arg)
{
  MPJ_Comm comms[2];
  (void)arg;
  int line = be_multiple();
  if (line != 0) return line;
  NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &comms[0]) && !MPJ_Comm_dup(MPJ_COMM_WORLD, &comms[1]));
  line = run_helpers(2, with_helpers, comms);
  NEED(!MPJ_Comm_free(&comms[0]) && !MPJ_Comm_free(&comms[1]));
  return line;
}

START_TEST(several_threads_share_a_rank_with_it)
{
  play(3, many_threads, NULL);
}
END_TEST

int main(void)
{
  setenv("MPJ_PROGRESS", "thread", 1);
  return RUN_SUITE("progress thread", operations_end_while_nobody_calls,
                   calls_and_the_progress_thread_take_turns,
                   handlers_run_while_their_rank_does_not_call, death_is_noticed_while_nobody_calls,
                   several_threads_share_a_rank_with_it);
}
