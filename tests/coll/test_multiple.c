/* This file tests ranks with several threads: communicators, requests, types and active
 * messages that they use at the same time. With the argument "job" the ranks are those of
 * the job that it is started in. */
#include <mpj/am.h>

#include <stdatomic.h>
#include <stdlib.h>

#include "coll/helpers.h"

enum { HELPERS = 3, WORDS = 4000, STEPS = 6 };

static int rounds = 8; /* of each play */

struct comms {
  MPJ_Comm of[HELPERS];
};

static int make_comms(struct comms *comms)
{
  for (int i = 0; i < HELPERS; i++)
    NEED(!MPJ_Comm_dup(MPJ_COMM_WORLD, &comms->of[i]));
  return 0;
}

static int free_comms(struct comms *comms)
{
  for (int i = 0; i < HELPERS; i++)
    NEED(!MPJ_Comm_free(&comms->of[i]));
  return 0;
}

/* Begin a play: many threads, and a communicator for each helper. */
static int begin(struct comms *comms)
{
  const int line = be_multiple();
  return line != 0 ? line : make_comms(comms);
}

/* Every rank's value, long and short, to all and back. */
static int use_comm(MPJ_Comm comm, int round)
{
  int me, p, root = 0, sum = 0, total = 0;
  static _Thread_local int words[WORDS], sums[WORDS], all[8];
  MPJ_Datatype many, strided, parts;
  NEED(!MPJ_Comm_rank(comm, &me) && !MPJ_Comm_size(comm, &p));
  NEED(!MPJ_Type_contiguous(WORDS, MPJ_INT, &many) && !MPJ_Type_commit(&many));
  NEED(!MPJ_Type_vector(p, 1, 2, MPJ_INT, &strided) && !MPJ_Type_commit(&strided));
  NEED(!MPJ_Type_contiguous(p, MPJ_INT, &parts) && !MPJ_Type_commit(&parts));
  root = round % p;
  for (int i = 0; i < WORDS; i++)
    words[i] = me == root ? round + i : -1;
  NEED(!MPJ_Bcast(words, many, root, comm));
  for (int i = 0; i < WORDS; i++)
    NEED(words[i] == round + i);
  NEED(!MPJ_Allreduce(words, many, sums, many, MPJ_SUM, comm));
  NEED(sums[WORDS - 1] == p * (round + WORDS - 1));
  NEED(!MPJ_Allgather(&me, MPJ_INT, all, strided, comm));
  for (int i = 0; i < p; i++)
    total += all[2 * i];
  NEED(!MPJ_Scan(&me, MPJ_INT, &sum, MPJ_INT, MPJ_SUM, comm) && sum == me * (me + 1) / 2);
  NEED(total == p * (p - 1) / 2 && !MPJ_Barrier(comm));
  NEED(!MPJ_Gather(&me, MPJ_INT, all, parts, root, comm));
  NEED(me != root || all[p - 1] == p - 1);
  NEED(!MPJ_Type_free(&many) && !MPJ_Type_free(&strided) && !MPJ_Type_free(&parts));
  return 0;
}

static int play_on_own_comm(int which, void *arg)
{
  const struct comms *comms = arg;
  for (int round = 0; round < rounds; round++) {
    const int line = use_comm(comms->of[which], round + which);
    if (line != 0) return line;
  }
  return 0;
}

static int communicators_of_their_own(void *arg)
{
  struct comms comms;
  (void)arg;
  int line = begin(&comms);
  if (line == 0) line = run_helpers(HELPERS, play_on_own_comm, &comms);
  return line == 0 ? free_comms(&comms) : line;
}

START_TEST(threads_use_communicators_of_their_own_at_once)
{
  play(2, communicators_of_their_own, NULL);
  play(3, communicators_of_their_own, NULL);
}
END_TEST

/* All make communicators of their own one, at once: all look for a free window. */
static int make_more(int which, void *arg)
{
  const struct comms *comms = arg;
  for (int round = 0; round < rounds; round++) {
    MPJ_Comm dup, half;
    int me, line;
    NEED(!MPJ_Comm_rank(comms->of[which], &me));
    NEED(!MPJ_Comm_dup(comms->of[which], &dup));
    NEED(!MPJ_Comm_split(dup, (me + which) % 2, 0, &half));
    line = use_comm(dup, round);
    if (line == 0) line = use_comm(half, round);
    if (line != 0) return line;
    NEED(!MPJ_Comm_free(&half) && !MPJ_Comm_free(&dup));
  }
  return 0;
}

static int making(void *arg)
{
  struct comms comms;
  (void)arg;
  int line = begin(&comms);
  if (line == 0) line = run_helpers(HELPERS, make_more, &comms);
  return line == 0 ? free_comms(&comms) : line;
}

START_TEST(threads_make_communicators_at_once)
{
  play(2, making, NULL);
  play(3, making, NULL);
}
END_TEST

/* Of two threads one starts, the other waits: through a box with one request in it. */
struct box {
  struct comms comms;
  MPJ_Request request;
  _Atomic int full;
  int words[WORDS], sums[WORDS];
};

static int start_some(struct box *box, int me, MPJ_Datatype many)
{
  for (int round = 0; round < rounds; round++) {
    while (atomic_load(&box->full))
      sched_yield();
    for (int i = 0; i < WORDS; i++)
      box->words[i] = me + round + i;
    NEED(!MPJ_Iallreduce(box->words, many, box->sums, many, MPJ_SUM, box->comms.of[0],
                         &box->request));
    atomic_store(&box->full, 1);
  }
  return 0;
}

static int wait_for_some(struct box *box, int p)
{
  for (int round = 0; round < rounds; round++) {
    while (!atomic_load(&box->full))
      sched_yield();
    int done = round % 2;
    if (done) NEED(!MPJ_Wait(&box->request));
    while (!done)
      NEED(!MPJ_Test(&box->request, &done));
    NEED(box->request == MPJ_REQUEST_NULL);
    NEED(box->sums[1] == p * (round + 1) + p * (p - 1) / 2);
    atomic_store(&box->full, 0);
  }
  return 0;
}

static int through_the_box(int which, void *arg)
{
  struct box *box = arg;
  int me, p;
  MPJ_Datatype many;
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &me) && !MPJ_Comm_size(MPJ_COMM_WORLD, &p));
  NEED(!MPJ_Type_contiguous(WORDS, MPJ_INT, &many) && !MPJ_Type_commit(&many));
  const int line = which == 0 ? start_some(box, me, many) : wait_for_some(box, p);
  NEED(!MPJ_Type_free(&many));
  return line;
}

static int handing_requests_over(void *arg)
{
  (void)arg;
  struct box *box = calloc(1, sizeof *box);
  NEED(box);
  int line = begin(&box->comms);
  if (line == 0) line = run_helpers(2, through_the_box, box);
  if (line == 0) line = free_comms(&box->comms);
  free(box);
  return line;
}

START_TEST(request_is_waited_for_in_another_thread_than_started_it)
{
  play(2, handing_requests_over, NULL);
  play(4, handing_requests_over, NULL);
}
END_TEST

/* Thread 0 of every rank waits for what rank 0 sends only after the other threads have
 * done all their work: whoever waits must let the others in. */
static int wait_while_others_work(int which, void *arg)
{
  struct box *box = arg;
  int me, value = 0, line = 0;
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &me));
  if (which > 0) {
    line = play_on_own_comm(which, &box->comms);
    atomic_fetch_add(&box->full, 1);
    return line;
  }
  while (me == 0 && atomic_load(&box->full) < HELPERS - 1)
    sched_yield();
  if (me == 0) value = 17;
  NEED(!MPJ_Bcast(&value, MPJ_INT, 0, box->comms.of[0]) && value == 17);
  NEED(me == 0 || atomic_load(&box->full) >= 0);
  return 0;
}

static int waiting(void *arg)
{
  (void)arg;
  struct box *box = calloc(1, sizeof *box);
  NEED(box);
  int line = begin(&box->comms);
  if (line == 0) line = run_helpers(HELPERS, wait_while_others_work, box);
  if (line == 0) line = free_comms(&box->comms);
  free(box);
  return line;
}

START_TEST(thread_that_waits_lets_the_others_work)
{
  play(2, waiting, NULL);
  play(3, waiting, NULL);
}
END_TEST

/* Errors are the thread's own: code and sentence. */
static int make_mistakes(int which, void *arg)
{
  const struct comms *comms = arg;
  char expected[40];
  int value = 0;
  snprintf(expected, sizeof expected, "root is %d", 100 + which);
  for (int round = 0; round < rounds; round++) {
    NEED(MPJ_Bcast(&value, MPJ_INT, 100 + which, comms->of[which]) == MPJ_ERR_ROOT);
    NEED(strstr(MPJ_Error_detail(), expected));
    NEED(MPJ_Comm_size(MPJ_COMM_NULL, &value) == MPJ_ERR_COMM);
    NEED(MPJ_Reduce(&value, MPJ_INT, &value, MPJ_INT, MPJ_OP_NULL, 0, comms->of[which]) != 0);
    NEED(!MPJ_Allreduce(&which, MPJ_INT, &value, MPJ_INT, MPJ_MAX, comms->of[which]));
    NEED(value == which);
  }
  return 0;
}

static int mistakes(void *arg)
{
  struct comms comms;
  (void)arg;
  int line = begin(&comms);
  if (line == 0) line = run_helpers(HELPERS, make_mistakes, &comms);
  return line == 0 ? free_comms(&comms) : line;
}

START_TEST(errors_stay_with_the_thread_that_made_them)
{
  play(3, mistakes, NULL);
}
END_TEST

/* Attributes, names, memory, gathered types. */
static int use_the_rest(int which, void *arg)
{
  const struct comms *comms = arg;
  const MPJ_Comm comm = comms->of[which];
  int keyval, flag, p;
  NEED(!MPJ_Comm_create_keyval(MPJ_Comm_dup_attr, NULL, &keyval, NULL));
  for (int round = 0; round < rounds; round++) {
    char name[MPJ_COMM_NAME_MAX];
    void *memory, *value;
    MPJ_Datatype all;
    MPJ_Count n = 0;
    MPJ_Op op;
    NEED(!MPJ_Alloc_mem(10000 + which, &memory));
    memset(memory, which, 10000);
    NEED(!MPJ_Comm_set_attr(comm, keyval, memory));
    NEED(!MPJ_Comm_get_attr(comm, keyval, &value, &flag) && flag && value == memory);
    NEED(!MPJ_Comm_delete_attr(comm, keyval) && !MPJ_Free_mem(memory));
    NEED(!MPJ_Comm_set_name(comm, "mine") && !MPJ_Comm_get_name(comm, name));
    NEED(!MPJ_Type_create_gathered(MPJ_INT, MPJ_ALL, comm, &all) && !MPJ_Type_parts(all, &n));
    NEED(!MPJ_Comm_size(comm, &p) && n == p && !MPJ_Type_free(&all));
    NEED(!MPJ_Op_create(NULL, NULL, MPJ_INT, 1, &op) || MPJ_Error_detail()[0] != '\0');
  }
  NEED(!MPJ_Comm_free_keyval(&keyval));
  return 0;
}

static int the_rest(void *arg)
{
  struct comms comms;
  (void)arg;
  int line = begin(&comms);
  if (line == 0) line = run_helpers(HELPERS, use_the_rest, &comms);
  return line == 0 ? free_comms(&comms) : line;
}

START_TEST(threads_use_attributes_memory_and_gathered_types_at_once)
{
  play(2, the_rest, NULL);
}
END_TEST

/* Active messages: every thread sends to the next rank, and waits for the rank's share. */
struct heard {
  int messages, sum;
};

static int on_number(void *ctx, MPJ_Am_message m, const MPJ_Am_info *info, MPJ_Am_target *target)
{
  struct heard *heard = ctx;
  int number;
  (void)m;
  (void)target;
  memcpy(&number, info->header, sizeof number);
  heard->sum += number;
  heard->messages++;
  return MPJ_AM_DROP_PAYLOAD;
}

static int send_numbers(int which, void *arg)
{
  struct heard *heard = arg;
  int me, p;
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &me) && !MPJ_Comm_size(MPJ_COMM_WORLD, &p));
  for (int k = 0; k < 50; k++) {
    const int number = which + k;
    NEED(
        !MPJ_Am_send((me + 1) % p, 3, &number, sizeof number, NULL, MPJ_DATATYPE_NULL, NULL, NULL));
  }
  NEED(!MPJ_Am_wait(&heard->messages, 50 * HELPERS));
  return 0;
}

static int messages(void *arg)
{
  struct heard heard = {0};
  (void)arg;
  int line = be_multiple();
  if (line != 0) return line;
  NEED(!MPJ_Am_register(3, on_number, NULL, &heard));
  line = run_helpers(HELPERS, send_numbers, &heard);
  if (line != 0) return line;
  NEED(!MPJ_Am_flush() && !MPJ_Barrier(MPJ_COMM_WORLD));
  NEED(heard.messages == 50 * HELPERS && heard.sum == HELPERS * 49 * 25 + 50 * 3);
  return 0;
}

START_TEST(threads_send_active_messages_at_once)
{
  play(3, messages, NULL);
}
END_TEST

static int look_from_outside(int which, void *arg)
{
  int flag = -1, level = -1;
  (void)which;
  (void)arg;
  NEED(!MPJ_Is_thread_main(&flag) && flag == 0);
  NEED(!MPJ_Query_thread(&level) && level == MPJ_THREAD_MULTIPLE);
  return 0;
}

static int levels(void *arg)
{
  int level = -1, flag = -1;
  (void)arg;
  NEED(!MPJ_Query_thread(&level) && level == MPJ_THREAD_SINGLE);
  NEED(MPJ_Init_thread(NULL, NULL, 4, &level) == MPJ_ERR_ARG);
  NEED(MPJ_Init_thread(NULL, NULL, -1, &level) == MPJ_ERR_ARG);
  NEED(MPJ_Init_thread(NULL, NULL, MPJ_THREAD_MULTIPLE, NULL) == MPJ_ERR_ARG);
  const int line = be_multiple();
  if (line != 0) return line;
  NEED(MPJ_Init_thread(NULL, NULL, MPJ_THREAD_MULTIPLE, &level) == MPJ_ERR_INTERNAL);
  NEED(MPJ_Query_thread(NULL) == MPJ_ERR_ARG && MPJ_Is_thread_main(NULL) == MPJ_ERR_ARG);
  NEED(MPJ_Context_get(NULL) == MPJ_ERR_ARG);
  NEED(!MPJ_Is_thread_main(&flag) && flag == 1);
  return run_helpers(1, look_from_outside, NULL);
}

START_TEST(levels_and_the_main_thread_are_known)
{
  int level;
  MPJ_Context none;
  play(2, levels, NULL);
  ck_assert_int_eq(MPJ_Query_thread(&level), MPJ_ERR_INTERNAL);
  ck_assert_int_eq(MPJ_Context_get(&none), MPJ_ERR_INTERNAL);
}
END_TEST

/* The same as the processes of a job. */
static int play_in_job(void)
{
  int (*const plays[])(void *) = {communicators_of_their_own,
                                  making,
                                  handing_requests_over,
                                  waiting,
                                  mistakes,
                                  the_rest,
                                  messages};
  int level = -1;
  rounds = 4; /* over a network all takes longer */
  NEED(!MPJ_Init_thread(NULL, NULL, MPJ_THREAD_MULTIPLE, &level));
  for (size_t i = 0; i < sizeof plays / sizeof *plays; i++) {
    const int line = plays[i](NULL);
    if (line != 0) return line;
    NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  }
  NEED(!MPJ_Finalize());
  return 0;
}

int main(int argc, char **argv)
{
  if (argc > 1 && !strcmp(argv[1], "job")) {
    const int line = play_in_job();
    if (line != 0) fprintf(stderr, "line %d (%s)\n", line, MPJ_Error_detail());
    return line != 0;
  }
  return RUN_SUITE(
      "several threads of a rank", threads_use_communicators_of_their_own_at_once,
      threads_make_communicators_at_once, request_is_waited_for_in_another_thread_than_started_it,
      thread_that_waits_lets_the_others_work, errors_stay_with_the_thread_that_made_them,
      threads_use_attributes_memory_and_gathered_types_at_once,
      threads_send_active_messages_at_once, levels_and_the_main_thread_are_known);
}
