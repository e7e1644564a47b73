/* This file tests chaos: plans, and what a transport keeps to while it is disturbed. */
#include <mpj/datatype.h>

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/suite.h"
#include "net/chaos/chaos.h"
#include "net/chaos/plan.h"
#include "net/endpoints.h"
#include "types/made.h"

/* Plans */

START_TEST(a_plan_keeps_what_it_does_not_name)
{
  struct mpj_chaos_plan p;
  must(mpj_chaos_plan_read("delay=0.25,seed=7,kill=3", 0, &p));
  ck_assert_double_eq(p.delay, 0.25);
  ck_assert_double_eq(p.again, 0);
  ck_assert_int_eq(p.seed, 7);
  ck_assert_int_eq(p.kill, 3);
  ck_assert_int_eq(p.polls, 64);
  ck_assert_int_eq(p.after, 1000);
}
END_TEST

START_TEST(a_plan_that_makes_no_sense_is_named)
{
  static const char *const cases[][2] = {
      {"delay", "'delay', must be key=value"},
      {"delay=", "delay=, must be a number from 0 to 1"},
      {"delay=2", "delay=2, must be a number from 0 to 1"},
      {"again=1", "again=1, must be a number from 0 to 0.9"},
      {"seed=1,polls=0", "polls=0, must be a whole number from 1 to 1e+06"},
      {"seed=1.5", "seed=1.5, must be a whole number"},
      {"dealy=0.1", "'dealy', which is no part of a plan"},
      {",", "'', must be key=value"},
      {"stall=nan", "stall=nan, must be a number from 0 to 1"},
      {"a_key_that_is_much_too_long=1", "must be key=value"},
      {"seed=12345678901234567890123456789012", "must be key=value"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct mpj_chaos_plan p = {.seed = -5};
    ck_assert_int_eq(mpj_chaos_plan_read(cases[i][0], 0, &p), MPJ_ERR_ARG);
    ck_assert_msg(strstr(MPJ_Error_detail(), cases[i][1]), "%s: %s", cases[i][0],
                  MPJ_Error_detail());
    ck_assert_int_eq(p.seed, -5);
  }
}
END_TEST

START_TEST(the_same_seed_and_rank_throw_the_same)
{
  struct mpj_chaos_plan a, b, other_rank;
  int same = 0, hits = 0;
  must(mpj_chaos_plan_read("seed=5", 1, &a));
  must(mpj_chaos_plan_read("seed=5", 1, &b));
  must(mpj_chaos_plan_read("seed=5", 2, &other_rank));
  for (int i = 0; i < 1000; i++) {
    const long n = mpj_chaos_draw(&a, 1000);
    ck_assert_int_eq(n, mpj_chaos_draw(&b, 1000));
    ck_assert(n >= 1 && n <= 1000);
    same += n == mpj_chaos_draw(&other_rank, 1000);
    const bool hit = mpj_chaos_strikes(&a, 0.25);
    ck_assert_int_eq(hit, mpj_chaos_strikes(&b, 0.25));
    hits += hit;
  }
  ck_assert_int_lt(same, 20);
  ck_assert(hits > 150 && hits < 350);
}
END_TEST

/* The wrapper: rank 0 sends, rank 1 is behind chaos */

struct pair {
  struct endpoints e;
  struct mpj_net *net; /* rank 1's */
};

static void pair_open(struct pair *p, const char *plan)
{
  endpoints_open(&p->e, 3);
  must(mpj_chaos_open(p->e.net[1], plan, true, &p->net));
  p->e.net[1] = NULL;
}

static void pair_close(struct pair *p)
{
  mpj_net_close(p->net, MPJ_RANK_FINALIZED, 0);
  endpoints_close(&p->e);
}

/* What came, in order. */
struct log {
  unsigned n, next[3]; /* messages, and of each sender the number that is due */
  bool ordered, payloads_right;
  enum mpj_am_verdict verdict;
  struct mpj_net *net;
};

static enum mpj_am_verdict note(void *ctx, const struct mpj_am_arrival *arrival,
                                struct mpj_am_dest *dest)
{
  struct log *log = ctx;
  unsigned number, data;
  (void)dest;
  memcpy(&number, arrival->header, sizeof number);
  log->ordered &= number == log->next[arrival->source]++;
  log->n++;
  if (!arrival->has_payload) return MPJ_AM_DONE;
  memcpy(&data, arrival->kept.payload, sizeof data);
  log->payloads_right &= data == ~number && arrival->kept.bytes == sizeof data;
  if (log->verdict == MPJ_AM_KEEP) mpj_net_release(log->net, &arrival->kept);
  return log->verdict;
}

static void log_open(struct log *log, struct mpj_net *net)
{
  *log = (struct log){.ordered = true, .payloads_right = true, .net = net};
  mpj_net_register(net, TEST_HANDLER, note, log);
}

static int send_number(struct mpj_net *from, unsigned number)
{
  MPJ_Datatype type = contiguous(sizeof number, MPJ_BYTE);
  struct mpj_cursor cursor;
  unsigned data = ~number;
  const struct mpj_view view = mpj_type_view(object_of(type));
  must(mpj_cursor_begin(&cursor, &view, &data));
  const int status = number % 3 == 0 ? mpj_net_short(from, 1, TEST_HANDLER, &number, sizeof number)
                                     : mpj_net_eager(from, 1, TEST_HANDLER, &number, sizeof number,
                                                     &cursor, sizeof data, NULL, NULL);
  mpj_cursor_end(&cursor);
  free_types(1, &type);
  return status;
}

START_TEST(held_messages_of_one_sender_come_whole_and_in_order)
{
  enum { MESSAGES = 500 };
  for (int keeps = 0; keeps < 2; keeps++) {
    struct pair p;
    struct log log;
    unsigned sent[3] = {0}, at_once = 0;
    pair_open(&p, "delay=0.5,polls=40,seed=3");
    log_open(&log, p.net);
    log.verdict = keeps ? MPJ_AM_KEEP : MPJ_AM_DONE;
    while (log.n < 2 * MESSAGES) {
      for (int from = 0; from < 3; from += 2)
        if (sent[from] < MESSAGES && send_number(p.e.net[from], sent[from]) == MPJ_SUCCESS)
          sent[from]++;
      const unsigned before = log.n;
      ck_assert_msg(mpj_net_poll(p.net) || sent[0] + sent[2] < 2 * MESSAGES,
                    "a poll said that nothing is under way with %u messages to come",
                    2 * MESSAGES - log.n);
      at_once += log.n >= before + 2;
    }
    ck_assert(log.ordered && log.payloads_right);
    ck_assert_int_gt(at_once, 0);
    ck_assert(!mpj_net_poll(p.net));
    pair_close(&p);
  }
}
END_TEST

START_TEST(a_held_message_stays_when_the_rank_closes)
{
  struct pair p;
  struct log log;
  pair_open(&p, "delay=1,polls=1000000");
  log_open(&log, p.net);
  for (unsigned i = 0; i < 5; i++)
    ck_assert_int_eq(send_number(p.e.net[0], i), MPJ_SUCCESS);
  ck_assert(mpj_net_poll(p.net));
  ck_assert_uint_eq(log.n, 0);
  pair_close(&p);
}
END_TEST

START_TEST(calls_find_no_room_as_often_as_the_plan_says)
{
  struct pair p;
  struct inbox inbox;
  int refused = 0;
  pair_open(&p, "again=0.5");
  inbox_open(&inbox, p.e.net[0]);
  for (int i = 0; i < 400; i++) {
    const int status = mpj_net_short(p.net, 0, TEST_HANDLER, NULL, 0);
    refused += status == MPJ_AM_AGAIN;
    ck_assert(status == MPJ_AM_AGAIN || status == MPJ_SUCCESS);
    mpj_net_poll(p.e.net[0]);
    ck_assert_uint_eq(inbox.messages, (unsigned)(i + 1 - refused));
  }
  ck_assert(refused > 100 && refused < 300);
  pair_close(&p);
}
END_TEST

/* Long data: an exposure by rank 1 (behind chaos) to rank 0 and back */

static struct mpj_view bytes_view(MPJ_Datatype *type, MPJ_Count bytes)
{
  *type = contiguous(bytes, MPJ_BYTE);
  return mpj_type_view(object_of(*type));
}

START_TEST(the_end_of_an_exposure_is_told_later_once)
{
  struct pair p;
  MPJ_Datatype type;
  struct mpj_am_remote remote;
  struct mpj_cursor cursor;
  struct outcome sent = {0, -1};
  char from[100] = "from", to[100] = "";
  pair_open(&p, "delay=1,polls=30");
  const struct mpj_view view = bytes_view(&type, sizeof from);
  ck_assert_int_eq(mpj_net_expose(p.net, &view, from, 1, outcome_note, &sent, &remote),
                   MPJ_SUCCESS);
  must(mpj_cursor_begin(&cursor, &view, to));
  ck_assert_int_eq(mpj_net_pull(p.e.net[0], 1, &remote, &cursor, NULL, outcome_note, &sent),
                   MPJ_SUCCESS);
  ck_assert_str_eq(to, "from");
  ck_assert(mpj_net_poll(p.net));
  ck_assert_int_eq(sent.calls, 0);
  for (int i = 0; i < 30; i++)
    mpj_net_poll(p.net);
  ck_assert_int_eq(sent.calls, 1);
  ck_assert_int_eq(sent.status, MPJ_SUCCESS);
  ck_assert(!mpj_net_poll(p.net));
  mpj_cursor_end(&cursor);
  free_types(1, &type);
  pair_close(&p);
}
END_TEST

START_TEST(a_decline_that_finds_no_room_is_told_by_polls)
{
  enum { OFFERS = 60 };
  struct pair p;
  MPJ_Datatype type;
  struct mpj_am_remote remote;
  char from[100] = "from";
  int at_once = 0;
  pair_open(&p, "again=0.5");
  const struct mpj_view view = bytes_view(&type, sizeof from);
  for (int i = 0; i < OFFERS; i++) {
    struct outcome sent = {0, -1};
    ck_assert_int_eq(mpj_net_expose(p.e.net[0], &view, from, 1, outcome_note, &sent, &remote),
                     MPJ_SUCCESS);
    mpj_net_decline(p.net, 0, &remote);
    mpj_net_poll(p.e.net[0]);
    at_once += sent.calls;
    for (int polls = 0; polls < 100 && sent.calls == 0; polls++) {
      mpj_net_poll(p.net);
      mpj_net_poll(p.e.net[0]);
    }
    ck_assert_int_eq(sent.calls, 1);
    ck_assert_int_eq(sent.status, MPJ_SUCCESS);
  }
  ck_assert(at_once > OFFERS / 5 && at_once < OFFERS);
  free_types(1, &type);
  pair_close(&p);
}
END_TEST

START_TEST(an_exposure_that_has_ended_can_be_withdrawn_before_that_is_told)
{
  struct pair p;
  MPJ_Datatype type;
  struct mpj_am_remote remote;
  struct mpj_cursor cursor;
  struct outcome sent = {0, -1};
  char from[100] = "from", to[100] = "";
  pair_open(&p, "delay=1,polls=30");
  const struct mpj_view view = bytes_view(&type, sizeof from);
  ck_assert_int_eq(mpj_net_expose(p.net, &view, from, 1, outcome_note, &sent, &remote),
                   MPJ_SUCCESS);
  must(mpj_cursor_begin(&cursor, &view, to));
  ck_assert_int_eq(mpj_net_pull(p.e.net[0], 1, &remote, &cursor, NULL, outcome_note, &sent),
                   MPJ_SUCCESS);
  ck_assert(mpj_net_poll(p.net));
  ck_assert_int_eq(mpj_net_withdraw(p.net, &remote, true), MPJ_SUCCESS);
  for (int i = 0; i < 40; i++)
    ck_assert(!mpj_net_poll(p.net));
  ck_assert_int_eq(sent.calls, 0);
  mpj_cursor_end(&cursor);
  free_types(1, &type);
  pair_close(&p);
}
END_TEST

START_TEST(a_pull_that_is_done_is_told_later_and_one_that_fails_at_once)
{
  struct pair p;
  MPJ_Datatype type;
  struct mpj_am_remote remote;
  struct mpj_cursor cursor;
  struct outcome sent = {0, -1}, pulled = {0, -1};
  char from[100] = "from", to[100] = "";
  pair_open(&p, "delay=1,polls=30");
  const struct mpj_view view = bytes_view(&type, sizeof from);
  ck_assert_int_eq(mpj_net_expose(p.e.net[0], &view, from, 1, outcome_note, &sent, &remote),
                   MPJ_SUCCESS);
  must(mpj_cursor_begin(&cursor, &view, to));
  ck_assert_int_eq(mpj_net_pull(p.net, 0, &remote, &cursor, NULL, outcome_note, &pulled),
                   MPJ_AM_PENDING);
  for (int i = 0; i < 31; i++)
    mpj_net_poll(p.net);
  ck_assert_int_eq(pulled.calls, 1);
  ck_assert_str_eq(to, "from");
  mpj_net_poll(p.e.net[0]);
  ck_assert_int_eq(sent.calls, 1);
  mpj_cursor_seek(&cursor, 0);
  ck_assert_int_eq(mpj_net_pull(p.net, 0, &remote, &cursor, NULL, outcome_note, &pulled),
                   MPJ_ERR_INTERNAL);
  ck_assert_int_eq(pulled.calls, 1);
  mpj_cursor_end(&cursor);
  free_types(1, &type);
  pair_close(&p);
}
END_TEST

START_TEST(a_plan_can_kill_its_process_but_not_a_thread)
{
  struct endpoints e;
  struct mpj_net *net;
  int how;
  endpoints_open(&e, 2);
  ck_assert_int_eq(mpj_chaos_open(e.net[1], "kill=1", false, &net), MPJ_ERR_ARG);
  ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "kill=1"));
  const pid_t child = fork();
  if (child == 0) {
    if (mpj_chaos_open(e.net[1], "kill=1,after=50", true, &net) != MPJ_SUCCESS) _exit(1);
    for (int i = 0; i < 50; i++)
      mpj_net_poll(net);
    _exit(2);
  }
  ck_assert_int_eq(waitpid(child, &how, 0), child);
  ck_assert(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
  endpoints_close(&e);
}
END_TEST

START_TEST(chaos_without_memory_leaves_the_endpoint_as_it_was)
{
  struct endpoints e;
  struct mpj_net *net;
  endpoints_open(&e, 2);
  for (long n = 0; n < 2; n++) {
    mpj_memory_fail_after(n);
    ck_assert_int_eq(mpj_chaos_open(e.net[1], "delay=1", true, &net), MPJ_ERR_NO_MEM);
    mpj_memory_fail_after(-1);
  }
  endpoints_close(&e);
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "net_chaos", a_plan_keeps_what_it_does_not_name, a_plan_that_makes_no_sense_is_named,
      the_same_seed_and_rank_throw_the_same, held_messages_of_one_sender_come_whole_and_in_order,
      a_held_message_stays_when_the_rank_closes, calls_find_no_room_as_often_as_the_plan_says,
      the_end_of_an_exposure_is_told_later_once, a_decline_that_finds_no_room_is_told_by_polls,
      an_exposure_that_has_ended_can_be_withdrawn_before_that_is_told,
      a_pull_that_is_done_is_told_later_and_one_that_fails_at_once,
      a_plan_can_kill_its_process_but_not_a_thread,
      chaos_without_memory_leaves_the_endpoint_as_it_was);
}
