/* This file tests users' active messages one thing at a time: arguments, errors that
 * travel, early messages, ranks that go. */
#include <mpj/am.h>
#include <mpj/mpj.h>

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "coll/comm/context.h"
#include "coll/need.h"

static _Atomic int posted; /* rank 0 has done its part */

static int rank_here(void)
{
  int rank = -1;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  return rank;
}

/* Twice: the first run makes what basic types keep for good. */
static void run(int ranks, int (*fn)(void *arg), void *arg)
{
  posted = 0;
  ck_assert_int_eq(MPJ_Run_threads(ranks, fn, arg), 0);
  posted = 0;
  const long before = mpj_memory_outstanding();
  ck_assert_int_eq(MPJ_Run_threads(ranks, fn, arg), 0);
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}

struct seen {
  int messages, last_status;
  MPJ_Count bytes;
  int values[4];
  MPJ_Am_target target;
  int verdict;
  MPJ_Am_message message;
};

static int on_header(void *ctx, MPJ_Am_message m, const MPJ_Am_info *info, MPJ_Am_target *target)
{
  struct seen *s = ctx;
  s->message = m;
  s->bytes = info->bytes;
  *target = s->target;
  return s->verdict;
}

static void on_complete(void *ctx, MPJ_Am_message m, const MPJ_Am_info *info, int status)
{
  struct seen *s = ctx;
  (void)m;
  (void)info;
  s->last_status = status;
  s->messages++;
}

static int misuse(void *arg)
{
  (void)arg;
  struct seen s = {.verdict = MPJ_AM_DROP_PAYLOAD};
  char header[MPJ_AM_HEADER_MAX + 1] = "";
  MPJ_Datatype raw;
  NEED(MPJ_Type_contiguous(3, MPJ_INT, &raw) == MPJ_SUCCESS);
  NEED(MPJ_Am_register(-1, NULL, NULL, NULL) == MPJ_ERR_ARG);
  NEED(MPJ_Am_register(MPJ_AM_HANDLERS_MAX, NULL, NULL, NULL) == MPJ_ERR_ARG);
  NEED(MPJ_Am_send(2, 0, NULL, 0, NULL, MPJ_DATATYPE_NULL, NULL, NULL) == MPJ_ERR_ARG);
  NEED(strstr(MPJ_Error_detail(), "dest is 2"));
  const MPJ_Am_region nowhere = {.rank = 2};
  NEED(MPJ_Am_put(header, MPJ_CHAR, &nowhere, NULL, NULL) == MPJ_ERR_ARG);
  NEED(strstr(MPJ_Error_detail(), "region->rank is 2, there are ranks 0 to 1"));
  NEED(MPJ_Am_send(-1, 0, NULL, 0, NULL, MPJ_DATATYPE_NULL, NULL, NULL) == MPJ_ERR_ARG);
  NEED(MPJ_Am_send(0, 128, NULL, 0, NULL, MPJ_DATATYPE_NULL, NULL, NULL) == MPJ_ERR_ARG);
  NEED(MPJ_Am_send(0, 0, header, sizeof header, NULL, MPJ_DATATYPE_NULL, NULL, NULL) ==
       MPJ_ERR_ARG);
  NEED(MPJ_Am_send(0, 0, NULL, 1, NULL, MPJ_DATATYPE_NULL, NULL, NULL) == MPJ_ERR_ARG);
  NEED(MPJ_Am_send(0, 0, NULL, 0, header, raw, NULL, NULL) == MPJ_ERR_TYPE);
  NEED(MPJ_Am_send(0, 0, NULL, 0, MPJ_IN_PLACE, MPJ_INT, NULL, NULL) == MPJ_ERR_ARG);
  NEED(MPJ_Am_reply(NULL, 0, NULL, 0, NULL, MPJ_DATATYPE_NULL, NULL, NULL) == MPJ_ERR_ARG);
  NEED(MPJ_Am_accept(NULL, header, MPJ_INT) == MPJ_ERR_ARG);
  NEED(MPJ_Am_wait(NULL, 1) == MPJ_ERR_ARG);
  NEED(MPJ_Am_call(0, 3, NULL, NULL) == MPJ_ERR_ARG);
  NEED(MPJ_Am_register(0, on_header, on_complete, &s) == MPJ_SUCCESS);
  NEED(MPJ_Am_flush() == MPJ_SUCCESS);
  MPJ_Type_free(&raw);
  return 0;
}

START_TEST(arguments_outside_their_range_are_named)
{
  int moved;
  ck_assert_int_eq(MPJ_Am_progress(&moved), MPJ_ERR_INTERNAL);
  run(2, misuse, NULL);
}
END_TEST

/* Whatever a handler may not do. */
static void on_forbidden(void *ctx, MPJ_Am_message m, const MPJ_Am_info *info, int status)
{
  struct seen *s = ctx;
  (void)m;
  (void)info;
  (void)status;
  int wrong = MPJ_Am_send(0, 0, NULL, 0, NULL, MPJ_DATATYPE_NULL, NULL, NULL) != MPJ_ERR_REQUEST;
  wrong += MPJ_Am_progress(NULL) != MPJ_ERR_REQUEST;
  wrong += MPJ_Am_flush() != MPJ_ERR_REQUEST;
  wrong += MPJ_Am_wait(&s->messages, 1) != MPJ_ERR_REQUEST;
  wrong += MPJ_Am_call(0, 0, NULL, NULL) != MPJ_ERR_REQUEST;
  wrong += MPJ_Barrier(MPJ_COMM_WORLD) != MPJ_ERR_COMM;
  s->last_status = wrong;
  s->messages++;
}

static int forbid(void *arg)
{
  (void)arg;
  struct seen s = {0};
  NEED(!MPJ_Am_register(0, NULL, on_forbidden, &s));
  for (int dest = 0; dest < 2; dest++)
    NEED(!MPJ_Am_send(dest, 0, NULL, 0, NULL, MPJ_DATATYPE_NULL, NULL, NULL));
  NEED(!MPJ_Am_wait(&s.messages, 2));
  NEED(s.last_status == 0);
  NEED(!MPJ_Am_flush());
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  return 0;
}

START_TEST(handlers_may_reply_and_no_more)
{
  run(2, forbid, NULL);
}
END_TEST

/* Payloads of each way of travelling that the receiver's layout does not fit. */
static int mismatch(void *arg)
{
  static const int sizes[] = {4, 1000, 20000};
  const int n = sizes[*(int *)arg];
  static _Thread_local int data[20000], to[20001];
  struct seen s = {.verdict = MPJ_AM_TAKE};
  MPJ_Datatype ints, floats;
  NEED(!MPJ_Type_contiguous(n, MPJ_INT, &ints) && !MPJ_Type_commit(&ints));
  NEED(!MPJ_Type_contiguous(n, MPJ_FLOAT, &floats) && !MPJ_Type_commit(&floats));
  s.target = (MPJ_Am_target){to, floats};
  NEED(!MPJ_Am_register(1, on_header, on_complete, &s));
  if (rank_here() == 0) {
    for (int i = 0; i < n; i++)
      data[i] = -1;
    NEED(!MPJ_Am_send(1, 1, NULL, 0, data, ints, NULL, NULL));
    NEED(MPJ_Am_flush() == MPJ_ERR_SIGNATURE);
    NEED(strstr(MPJ_Error_detail(), "rank 1"));
    NEED(MPJ_Am_flush() == MPJ_SUCCESS); /* told once */
    NEED(!MPJ_Am_send(1, 1, NULL, 0, data, floats, NULL, NULL));
    NEED(!MPJ_Am_flush());
  } else {
    NEED(!MPJ_Am_wait(&s.messages, 1));
    NEED(s.last_status == MPJ_ERR_SIGNATURE && to[0] == 0 && to[n - 1] == 0);
    NEED(!MPJ_Am_wait(&s.messages, 2));
    NEED(s.last_status == MPJ_SUCCESS && to[0] == -1 && to[n - 1] == -1 && to[n] == 0);
  }
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  MPJ_Type_free(&ints);
  MPJ_Type_free(&floats);
  return 0;
}

START_TEST(other_types_than_were_sent_are_an_error_on_both_sides)
{
  for (int i = 0; i < 3; i++)
    run(2, mismatch, &i);
}
END_TEST

/* What a header handler may say of a message of one int, and of one without data. */
static int say_nonsense(void *arg)
{
  (void)arg;
  static _Thread_local int data, to;
  struct seen s = {.verdict = MPJ_AM_TAKE};
  MPJ_Datatype raw;
  NEED(!MPJ_Type_contiguous(1, MPJ_INT, &raw));
  const struct {
    int verdict;
    MPJ_Am_target target;
    int with_data, without;
  } all[] = {{MPJ_AM_TAKE, {&to, MPJ_INT}, MPJ_SUCCESS, MPJ_ERR_SIGNATURE},
             {MPJ_AM_TAKE, {NULL, MPJ_DATATYPE_NULL}, MPJ_ERR_TYPE, MPJ_SUCCESS},
             {MPJ_AM_TAKE, {&to, raw}, MPJ_ERR_TYPE, MPJ_ERR_TYPE},
             {MPJ_AM_TAKE, {NULL, MPJ_INT}, MPJ_ERR_ARG, MPJ_ERR_ARG},
             {77, {&to, MPJ_INT}, MPJ_ERR_ARG, MPJ_ERR_ARG}};
  NEED(!MPJ_Am_register(1, on_header, on_complete, &s));
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    s.verdict = all[i].verdict;
    s.target = all[i].target;
    for (int dest = 0; dest < 2; dest++) {
      NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
      if (rank_here() == 0) {
        NEED(!MPJ_Am_send(dest, 1, NULL, 0, &data, MPJ_INT, NULL, NULL));
        NEED(MPJ_Am_flush() == all[i].with_data);
        NEED(!MPJ_Am_send(dest, 1, NULL, 0, NULL, MPJ_DATATYPE_NULL, NULL, NULL));
        NEED(MPJ_Am_flush() == all[i].without);
      }
      NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
    }
    NEED(s.messages == 2 * (int)(i + 1) && s.last_status == all[i].without);
  }
  MPJ_Type_free(&raw);
  return 0;
}

START_TEST(a_header_handler_that_says_nonsense_is_told_and_so_is_the_sender)
{
  run(2, say_nonsense, NULL);
}
END_TEST

static int accept_nothing(void *arg)
{
  (void)arg;
  MPJ_Datatype none;
  struct seen s = {.verdict = MPJ_AM_LATER};
  NEED(!MPJ_Type_contiguous(0, MPJ_INT, &none) && !MPJ_Type_commit(&none));
  NEED(!MPJ_Am_register(1, on_header, on_complete, &s));
  for (int way = 0; way < 4; way++) { /* to oneself or another; by no type or an empty one */
    const int dest = way / 2;
    const MPJ_Datatype type = way % 2 ? none : MPJ_DATATYPE_NULL;
    s.message = NULL;
    s.messages = 0;
    NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
    if (rank_here() == 0) NEED(!MPJ_Am_send(dest, 1, NULL, 0, NULL, type, NULL, NULL));
    if (rank_here() != dest) continue;
    while (!s.message)
      NEED(!MPJ_Am_progress(NULL));
    NEED(s.messages == 0);
    NEED(!MPJ_Am_accept(s.message, NULL, type));
    NEED(s.messages == 1 && s.last_status == MPJ_SUCCESS);
  }
  NEED(!MPJ_Am_flush());
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  MPJ_Type_free(&none);
  return 0;
}

START_TEST(messages_without_payload_wait_to_be_accepted_too)
{
  run(2, accept_nothing, NULL);
}
END_TEST

enum { BURST = 30, WORDS = 1000 };

static int on_burst(void *ctx, MPJ_Am_message m, const MPJ_Am_info *info, MPJ_Am_target *target)
{
  (void)m;
  int which;
  memcpy(&which, info->header, sizeof which);
  *target = (MPJ_Am_target){(int *)ctx + which * WORDS, MPJ_DATATYPE_NULL};
  MPJ_Datatype *type = (MPJ_Datatype *)(void *)((int *)ctx + BURST * WORDS);
  target->type = *type;
  return MPJ_AM_TAKE;
}

static _Thread_local int arrived;
static void count_arrival(void *ctx, MPJ_Am_message m, const MPJ_Am_info *info, int status)
{
  (void)ctx;
  (void)m;
  (void)info;
  arrived += status == MPJ_SUCCESS;
}

static void count_sent(void *arg, int status)
{
  *(int *)arg += status == MPJ_SUCCESS;
}

/* Rank 1 stays away until more has been posted than there are tokens. */
static int burst(void *arg)
{
  (void)arg;
  struct room {
    int words[BURST * WORDS];
    MPJ_Datatype type;
  } *room = calloc(1, sizeof *room);
  int sent = 0;
  arrived = 0;
  NEED(!MPJ_Type_contiguous(WORDS, MPJ_INT, &room->type) && !MPJ_Type_commit(&room->type));
  if (rank_here() == 0) {
    for (int i = 0; i < BURST * WORDS; i++)
      room->words[i] = i;
    for (int i = 0; i < BURST; i++)
      NEED(
          !MPJ_Am_send(1, 9, &i, sizeof i, room->words + i * WORDS, room->type, count_sent, &sent));
    NEED(sent < BURST); /* the others are advertised */
    posted = 1;
    NEED(!MPJ_Am_flush());
    NEED(sent == BURST);
  } else {
    while (!posted)
      sched_yield();
    NEED(!MPJ_Am_progress(NULL)); /* they come before their handler is there */
    NEED(!MPJ_Am_register(9, on_burst, count_arrival, room->words));
    NEED(!MPJ_Am_wait(&arrived, BURST));
    for (int i = 0; i < BURST * WORDS; i++)
      NEED(room->words[i] == i);
  }
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  MPJ_Type_free(&room->type);
  free(room);
  return 0;
}

START_TEST(messages_that_come_early_and_beyond_the_tokens_are_kept)
{
  run(2, burst, NULL);
}
END_TEST

/* Rank 1 goes with requests of rank 0 not dealt with. */
static int lose_a_rank(void *arg)
{
  (void)arg;
  static int data[20000];
  int sent = 0, never = 0;
  MPJ_Datatype type;
  NEED(!MPJ_Type_contiguous(20000, MPJ_INT, &type) && !MPJ_Type_commit(&type));
  if (rank_here() == 1) {
    while (!posted)
      sched_yield();
    MPJ_Type_free(&type);
    return 17;
  }
  NEED(!MPJ_Am_send(1, 1, NULL, 0, data, type, count_sent, &sent));
  posted = 1;
  NEED(MPJ_Am_flush() == MPJ_ERR_PEER);
  NEED(strstr(MPJ_Error_detail(), "rank 1"));
  NEED(sent == 0); /* it was called, with the error */
  NEED(MPJ_Am_send(1, 1, NULL, 0, data, type, NULL, NULL) == MPJ_ERR_PEER);
  NEED(strstr(MPJ_Error_detail(), "rank 1, which returned 17"));
  NEED(MPJ_Am_wait(&never, 1) == MPJ_ERR_PEER);
  NEED(strstr(MPJ_Error_detail(), "rank 1 returned 17"));
  NEED(MPJ_Am_flush() == MPJ_SUCCESS);
  MPJ_Type_free(&type);
  return 0;
}

START_TEST(requests_to_a_rank_that_died_end_with_an_error)
{
  long before = 0;
  for (int i = 0; i < 2; i++) {
    before = mpj_memory_outstanding();
    posted = 0;
    ck_assert_int_eq(MPJ_Run_threads(2, lose_a_rank, NULL), 17);
  }
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}
END_TEST

/* Rank 2 has died, as rank 0 knows; rank 1 sends a message, and dies as well: what was sent before
 * counts. */
static int send_and_die(void *arg)
{
  struct seen s = {.verdict = MPJ_AM_DROP_PAYLOAD};
  const int rank = rank_here();
  NEED(!MPJ_Am_register(0, NULL, on_complete, &s));
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  if (rank == 2) return 18;
  while (rank == 1 && !posted)
    sched_yield();
  if (rank == 1) return MPJ_Am_send(0, 0, NULL, 0, NULL, MPJ_DATATYPE_NULL, NULL, NULL) ? -1 : 17;
  NEED(MPJ_Am_wait(&s.messages, 1) == MPJ_ERR_PEER);
  posted = 1;
  while (mpj_net_peer_state(mpj_context_current()->net, 1, NULL) != MPJ_RANK_DEAD)
    sched_yield();
  NEED(!MPJ_Am_wait(&s.messages, 1));
  NEED(MPJ_Am_wait(&s.messages, 2) == MPJ_ERR_PEER);
  *(bool *)arg = true;
  return 0;
}

START_TEST(what_a_rank_sent_before_it_died_is_taken_in)
{
  bool taken = false;
  posted = 0;
  ck_assert_int_gt(MPJ_Run_threads(3, send_and_die, &taken), 0);
  ck_assert(taken);
}
END_TEST

/* Messages that nobody ever takes are dropped with their rank. */
static int leave_things_open(void *arg)
{
  (void)arg;
  static const int data[20000];
  int sent = 0;
  struct seen s = {.verdict = MPJ_AM_LATER};
  MPJ_Datatype type;
  NEED(!MPJ_Type_contiguous(20000, MPJ_INT, &type) && !MPJ_Type_commit(&type));
  NEED(!MPJ_Am_register(3, on_header, on_complete, &s));
  for (int i = 0; i < 3; i++)
    NEED(!MPJ_Am_send(i % 2, 3 + i / 2, NULL, 0, data, type, count_sent, &sent));
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  for (int i = 0; i < 10; i++)
    NEED(!MPJ_Am_progress(NULL));
  NEED(s.message && s.messages == 0 && s.bytes == 80000);
  MPJ_Type_free(&type);
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  return 0;
}

START_TEST(finalize_drops_what_was_never_taken)
{
  run(2, leave_things_open, NULL);
}
END_TEST

/* Rank 0 has begun a collective that the others wait for, and waits for a message that one of them
 * sends when it has ended. */
static int wait_among_collectives(void *arg)
{
  enum { LENGTH = 300000 };
  struct seen s = {0};
  MPJ_Request r;
  MPJ_Datatype type;
  int rank, *ones = malloc(2 * LENGTH * sizeof *ones), *sums = ones + LENGTH;
  (void)arg;
  NEED(ones);
  for (int i = 0; i < LENGTH; i++)
    ones[i] = 1;
  NEED(!MPJ_Type_contiguous(LENGTH, MPJ_INT, &type) && !MPJ_Type_commit(&type));
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &rank));
  NEED(!MPJ_Am_register(0, NULL, on_complete, &s));
  for (int play = 1; play <= 5; play++) {
    NEED(!MPJ_Iallreduce(ones, type, sums, type, MPJ_SUM, MPJ_COMM_WORLD, &r));
    if (rank == 0) NEED(!MPJ_Am_wait(&s.messages, play));
    NEED(!MPJ_Wait(&r) && sums[0] == 5 && sums[LENGTH - 1] == 5);
    if (rank == 1) NEED(!MPJ_Am_send(0, 0, NULL, 0, NULL, MPJ_DATATYPE_NULL, NULL, NULL));
    NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  }
  MPJ_Type_free(&type);
  free(ones);
  return 0;
}

START_TEST(who_waits_for_a_message_moves_its_collectives_on)
{
  run(5, wait_among_collectives, NULL);
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "coll/am", arguments_outside_their_range_are_named, handlers_may_reply_and_no_more,
      other_types_than_were_sent_are_an_error_on_both_sides,
      messages_that_come_early_and_beyond_the_tokens_are_kept,
      a_header_handler_that_says_nonsense_is_told_and_so_is_the_sender,
      messages_without_payload_wait_to_be_accepted_too,
      requests_to_a_rank_that_died_end_with_an_error, what_a_rank_sent_before_it_died_is_taken_in,
      who_waits_for_a_message_moves_its_collectives_on, finalize_drops_what_was_never_taken);
}
