/* This file tests how an endpoint waits: it spins or yields, then sleeps, and
 * every kind of news wakes it. */
#include <mpj/datatype.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/suite.h"
#include "net/endpoints.h"
#include "net/threads/threads.h"
#include "net/waiting.h"
#include "types/made.h"

/* Idle calls: more than a rank that spins does so, and some that yield. */
enum { SPINS = 4096, YIELDS = 300 };
#define MANY(spin) ((spin) ? SPINS + YIELDS : YIELDS)

static _Atomic uint32_t *word_of(struct endpoints *e, int rank)
{
  return &mpj_segment_rank(e->segment, rank)->sleeping;
}

/* A machine on which nobody else wants a core: a yield takes no time. */
static const int64_t still = 1;

/* Calls until the endpoint says that it is about to sleep, at most MANY(whether it spins). */
static unsigned calls_until_armed(struct endpoints *e, int rank)
{
  const unsigned most = MANY(cells_of_rank(e, rank)->spin);
  unsigned idle = 0;
  while (atomic_load(word_of(e, rank)) == 0 && idle < most)
    mpj_net_idle(e->net[rank], &idle);
  return idle;
}

START_TEST(idle_rank_announces_its_sleep_after_the_idle_time)
{
  struct endpoints e;
  mpj_clock_simulated = &still;
  endpoints_open(&e, 1);
  struct mpj_cells *c = cells_of_rank(&e, 0);
  c->sleep_ns = 0;
  c->spin = false;
  const unsigned yielding = calls_until_armed(&e, 0);
  ck_assert_uint_lt(yielding, MANY(false));
  ck_assert_uint_gt(yielding, 1);
  unsigned idle = 0;
  mpj_net_idle(e.net[0], &idle); /* the first call of a new phase */
  ck_assert_uint_eq(idle, 1);
  ck_assert_uint_eq(atomic_load(word_of(&e, 0)), 0);
  c->spin = true;
  const unsigned spinning = calls_until_armed(&e, 0);
  ck_assert_uint_gt(spinning, yielding + 1000);
  ck_assert_uint_lt(spinning, MANY(true));
  endpoints_close(&e);
}
END_TEST

/* Among strangers each of so many waits sleeps at its first miss; then waits are as
 * before. */
START_TEST(rank_among_strangers_sleeps_at_once)
{
  enum { WAITS = 3 };
  struct endpoints e;
  mpj_clock_simulated = &still;
  endpoints_open(&e, 1);
  struct mpj_cells *c = cells_of_rank(&e, 0);
  c->sleep_ns = INT64_C(3600) * 1000000000;
  c->spin = false;
  c->net.asleep = WAITS;
  for (int i = 0; i < WAITS; i++) {
    ck_assert_uint_lt(calls_until_armed(&e, 0), 2);
    atomic_store(word_of(&e, 0), 0); /* something came */
    c->armed_by = NULL;
  }
  ck_assert_uint_eq(c->net.asleep, 0);
  ck_assert_uint_eq(calls_until_armed(&e, 0), MANY(false));
  endpoints_close(&e);
}
END_TEST

static void *compute(void *over)
{
  while (!atomic_load_explicit((atomic_bool *)over, memory_order_relaxed))
    ;
  return NULL;
}

/* Late once may be a rank's doing: a single wait sleeps. Late each time is a stranger's. */
START_TEST(each_late_core_doubles_the_waits_that_sleep)
{
  struct mpj_net net = {.rank = 0};
  for (unsigned waits = 1; waits < MPJ_WAITS_ASLEEP_MOST; waits *= 2) {
    mpj_net_note_core(&net, true);
    ck_assert_uint_eq(net.asleep, waits);
  }
  for (int i = 0; i < 3; i++)
    mpj_net_note_core(&net, true);
  ck_assert_uint_eq(net.asleep, MPJ_WAITS_ASLEEP_MOST);
  for (unsigned i = 1; i <= MPJ_WAITS_ASLEEP_MOST; i *= 2)
    mpj_net_note_core(&net, false);
  mpj_net_note_core(&net, true);
  ck_assert_uint_eq(net.asleep, 1);
}
END_TEST

/* Of two ranks on one core so many ms after the last look, of which they worked for that share. */
static bool sees_strangers(double worked, int64_t ms)
{
  _Atomic int32_t clocks[2] = {0};
  struct mpj_core core = mpj_core_shared(clocks, sizeof *clocks, 2, 1);
  const int64_t since = ms * 1000000;
  const uint64_t before = 500;
  ck_assert(!mpj_core_judge(&core, 1000000000, before)); /* nothing yet to compare with */
  return mpj_core_judge(&core, 1000000000 + since, before + (uint64_t)(worked * (double)since));
}

START_TEST(what_ranks_have_worked_was_not_strangers)
{
  ck_assert(sees_strangers(0, 3));
  ck_assert(sees_strangers(.7, 3));
  ck_assert(!sees_strangers(.8, 3));
  ck_assert(!sees_strangers(1, 3));
}
END_TEST

START_TEST(looks_that_are_far_apart_tell_nothing_of_strangers)
{
  ck_assert(sees_strangers(0, 60));
  ck_assert(!sees_strangers(0, 1000));
}
END_TEST

START_TEST(rank_that_has_gone_tells_nothing_of_strangers)
{
  _Atomic int32_t clocks[2] = {0};
  struct mpj_core core = mpj_core_shared(clocks, sizeof *clocks, 2, 1);
  mpj_core_judge(&core, 1000000000, 9000000);
  ck_assert(!mpj_core_judge(&core, 1003000000, 5000000));
  ck_assert(mpj_core_judge(&core, 1006000000, 6000000)); /* of those that are left */
}
END_TEST

/* Whether it asks for how long ranks have run, when one has been away for so long. */
static bool asks(int ranks, int cores, int64_t absence)
{
  _Atomic int32_t clocks[9] = {mpj_core_clock(false)};
  struct mpj_core core = mpj_core_shared(clocks, sizeof *clocks, ranks, cores);
  ck_assert(!mpj_core_back(&core, (struct mpj_absence){1000, 1000 + absence}));
  return core.looked != 0;
}

START_TEST(ranks_are_asked_where_few_share_a_core_and_one_was_away_for_long)
{
  enum { SLICE = MPJ_SLICE_US * 1000 };
  ck_assert(asks(2, 1, SLICE));
  ck_assert(asks(8, 1, SLICE));
  ck_assert(!asks(2, 1, SLICE - 1));
  ck_assert(!asks(9, 1, SLICE)); /* too many to tell */
  ck_assert(!asks(2, 2, SLICE)); /* one each */
}
END_TEST

/* To ask takes a share of the time at most: what was found holds until it is due again. */
START_TEST(what_was_found_holds_for_a_while)
{
  _Atomic int32_t clocks[2] = {mpj_core_clock(false), mpj_core_clock(true)};
  struct mpj_core core = mpj_core_shared(clocks, sizeof *clocks, 2, 1);
  const struct mpj_absence away = {1000, 1000 + MPJ_SLICE_US * INT64_C(1000)};
  mpj_core_back(&core, away);
  const int64_t looked = core.looked;
  ck_assert_int_gt(looked, 0);
  ck_assert_int_gt(core.pause, 0);
  ck_assert_uint_gt(core.worked, 0);
  core.pause = INT64_MAX;
  core.strangers = true;
  ck_assert(mpj_core_back(&core, away));
  ck_assert_int_eq(core.looked, looked);
  core.pause = 0;
  mpj_core_back(&core, away);
  ck_assert_int_gt(core.looked, looked);
}
END_TEST

static double ran_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A thread's clock counts what this thread does, a process's what all its threads do. */
START_TEST(clocks_tell_what_ranks_have_worked)
{
  for (int process = 0; process < 2; process++) {
    _Atomic int32_t clocks[2] = {mpj_core_clock(process)};
    struct mpj_core core = mpj_core_shared(clocks, sizeof *clocks, 2, 1);
    atomic_bool over = false;
    pthread_t other;
    const struct mpj_absence away = {1000, 1000 + MPJ_SLICE_US * INT64_C(1000)};
    mpj_core_back(&core, away);
    const uint64_t before = core.worked;
    const double begun = ran_seconds();
    ck_assert_int_eq(pthread_create(&other, NULL, compute, &over), 0);
    while (ran_seconds() - begun < .1) { /* the other one's, all but a little */
      const struct timespec nap = {.tv_nsec = 5000000};
      nanosleep(&nap, NULL);
    }
    core.pause = 0;
    mpj_core_back(&core, away);
    atomic_store(&over, true);
    pthread_join(other, NULL);
    if (process)
      ck_assert_uint_gt(core.worked - before, 80000000);
    else
      ck_assert_uint_lt(core.worked - before, 50000000);
  }
}
END_TEST

/* Ranks in step: of many short absences few are timed; one that was long is followed by absences
 * that are all timed. */
START_TEST(few_of_many_short_absences_are_timed)
{
  enum { TIMES = 50 * MPJ_CORE_ROW, ABSENCE = 30000 };
  _Atomic int32_t clocks[2] = {0};
  struct mpj_core core = mpj_core_shared(clocks, sizeof *clocks, 2, 1);
  const struct mpj_absence brief = {1000, 1000 + ABSENCE};
  int timed = 0;
  for (int i = 0; i < TIMES; i++) {
    if (core.untimed > 0) {
      ck_assert(!mpj_core_give(&core));
    } else {
      mpj_core_back(&core, brief);
      timed++;
    }
  }
  ck_assert_int_le(timed, 2 * MPJ_CORE_ROW + TIMES / MPJ_CORE_ROW);
  while (core.untimed > 0)
    mpj_core_give(&core);
  mpj_core_back(&core, (struct mpj_absence){1000, 1000 + MPJ_SLICE_US * INT64_C(1000)});
  for (int i = 1; i < MPJ_CORE_ROW; i++) {
    mpj_core_back(&core, brief);
    ck_assert_uint_eq(core.untimed, 0);
  }
}
END_TEST

/* A core that comes back late was a stranger's: here, a thread's that computes. */
START_TEST(late_core_tells_of_strangers)
{
  struct endpoints e;
  endpoints_open(&e, 1);
  struct mpj_cells *c = cells_of_rank(&e, 0);
  c->spin = false;
  c->sleep_ns = INT64_C(3600) * 1000000000;
  _Atomic int32_t clocks[2] = {mpj_core_clock(false)};
  c->net.core = mpj_core_shared(clocks, sizeof *clocks, 2, 1);
  cpu_set_t all, one;
  CPU_ZERO(&one);
  ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
  for (size_t cpu = 0; CPU_COUNT(&one) == 0; cpu++)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
  atomic_bool over = false;
  pthread_t stranger;
  ck_assert_int_eq(pthread_create(&stranger, NULL, compute, &over), 0);
  for (unsigned idle = 0; c->net.asleep == 0; idle = 0)
    mpj_net_idle(e.net[0], &idle);
  atomic_store(&over, true);
  pthread_join(stranger, NULL);
  endpoints_close(&e);
}
END_TEST

START_TEST(rank_does_not_sleep_before_the_idle_time)
{
  struct endpoints e;
  mpj_clock_simulated = &still;
  endpoints_open(&e, 1);
  for (int spin = 0; spin < 2; spin++) {
    cells_of_rank(&e, 0)->spin = spin;
    cells_of_rank(&e, 0)->sleep_ns = INT64_C(3600) * 1000000000;
    ck_assert_uint_eq(calls_until_armed(&e, 0), MANY(spin));
  }
  endpoints_close(&e);
}
END_TEST

START_TEST(sleep_is_bounded_and_announced_again)
{
  struct endpoints e;
  endpoints_open(&e, 1);
  struct mpj_cells *c = cells_of_rank(&e, 0);
  c->sleep_ns = 0;
  c->spin = false;
  unsigned idle = calls_until_armed(&e, 0);
  for (int i = 0; i < 5; i++) { /* nobody wakes it: each call returns all the same */
    mpj_net_idle(e.net[0], &idle);
    ck_assert_uint_ne(atomic_load(word_of(&e, 0)), 0);
  }
  endpoints_close(&e);
}
END_TEST

/* What rank 0, or 2, does to rank 1, after which rank 1 must not sleep. */
static void send_short(struct endpoints *e)
{
  must(mpj_net_short(e->net[0], 1, TEST_HANDLER, NULL, 0));
}

static void send_eager(struct endpoints *e)
{
  static const char byte = 1;
  const struct mpj_view view = mpj_type_view(object_of(MPJ_BYTE));
  struct mpj_cursor src;
  must(mpj_cursor_begin(&src, &view, (void *)(uintptr_t)&byte));
  must(mpj_net_eager(e->net[0], 1, TEST_HANDLER, NULL, 0, &src, 1, NULL, NULL));
}

static void change_common(struct endpoints *e)
{
  _Atomic uint64_t *word = (_Atomic uint64_t *)(void *)mpj_net_common(e->net[0], 1, 0);
  atomic_fetch_add(word, 1);
  mpj_net_wake(e->net[0], 1);
}

static struct mpj_am_remote exposed;

static void send_decline(struct endpoints *e)
{
  mpj_net_decline(e->net[0], 1, &exposed);
}

static void pull_byte(struct endpoints *e)
{
  static char byte;
  const struct mpj_view view = mpj_type_view(object_of(MPJ_BYTE));
  struct mpj_cursor dst;
  must(mpj_cursor_begin(&dst, &view, &byte));
  must(mpj_net_pull(e->net[0], 1, &exposed, &dst, NULL, NULL, NULL));
}

static void leave(struct endpoints *e)
{
  mpj_net_close(e->net[2], MPJ_RANK_DEAD, 0);
  e->net[2] = NULL;
}

START_TEST(news_of_every_kind_wakes)
{
  static void (*const news[])(struct endpoints *) = {send_short,   send_eager, change_common,
                                                     send_decline, pull_byte,  leave};
  for (size_t i = 0; i < sizeof news / sizeof *news; i++) {
    struct endpoints e;
    struct outcome sent;
    char byte = 0;
    const struct mpj_view view = mpj_type_view(object_of(MPJ_BYTE));
    endpoints_open(&e, 3);
    must(mpj_net_expose(e.net[1], &view, &byte, 9, outcome_note, &sent, &exposed));
    cells_of_rank(&e, 1)->sleep_ns = 0;
    calls_until_armed(&e, 1);
    ck_assert_uint_eq(atomic_load(word_of(&e, 1)), 1);
    news[i](&e);
    ck_assert_msg(atomic_load(word_of(&e, 1)) == 0, "news %zu", i);
    endpoints_close(&e);
  }
}
END_TEST

START_TEST(spinning_depends_on_ranks_and_cores)
{
  for (int n = 1; n <= 3; n++) {
    struct endpoints e;
    endpoints_open(&e, n);
    struct mpj_net *again;
    mpj_net_close(e.net[0], MPJ_RANK_FINALIZED, 0);
    e.segment->config.cores = 2;
    endpoints_vacate(&e, 0);
    must(mpj_threads_open(e.segment, 0, &again));
    e.net[0] = again;
    ck_assert(cells_of_rank(&e, 0)->spin == (n <= 2));
    endpoints_close(&e);
  }
}
END_TEST

enum { ROUND_TRIPS = 300 };

/* Wait for message `number`, sleeping as soon as may be. */
static void await_message(struct mpj_net *net, const struct inbox *inbox, unsigned number)
{
  unsigned idle = 0;
  while (inbox->messages < number) {
    if (mpj_net_poll(net))
      idle = 0;
    else
      mpj_net_idle(net, &idle);
  }
}

static void *answer(void *arg)
{
  struct mpj_net *net = arg;
  struct inbox inbox;
  inbox_open(&inbox, net);
  for (unsigned i = 1; i <= ROUND_TRIPS; i++) {
    await_message(net, &inbox, i);
    if (mpj_net_short(net, 0, TEST_HANDLER, NULL, 0) != MPJ_SUCCESS) return arg;
  }
  return NULL;
}

START_TEST(threads_that_sleep_at_once_wake_each_other)
{
  struct endpoints e;
  struct inbox inbox;
  pthread_t thread;
  void *result;
  endpoints_open(&e, 2);
  inbox_open(&inbox, e.net[0]);
  for (int rank = 0; rank < 2; rank++) {
    cells_of_rank(&e, rank)->sleep_ns = 0;
    cells_of_rank(&e, rank)->spin = false;
  }
  ck_assert_int_eq(pthread_create(&thread, NULL, answer, e.net[1]), 0);
  for (unsigned i = 1; i <= ROUND_TRIPS; i++) {
    must(mpj_net_short(e.net[0], 1, TEST_HANDLER, NULL, 0));
    await_message(e.net[0], &inbox, i);
  }
  pthread_join(thread, &result);
  ck_assert_ptr_null(result);
  endpoints_close(&e);
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/idle", idle_rank_announces_its_sleep_after_the_idle_time,
                   rank_among_strangers_sleeps_at_once, each_late_core_doubles_the_waits_that_sleep,
                   late_core_tells_of_strangers, what_ranks_have_worked_was_not_strangers,
                   looks_that_are_far_apart_tell_nothing_of_strangers,
                   rank_that_has_gone_tells_nothing_of_strangers,
                   ranks_are_asked_where_few_share_a_core_and_one_was_away_for_long,
                   what_was_found_holds_for_a_while, clocks_tell_what_ranks_have_worked,
                   few_of_many_short_absences_are_timed, rank_does_not_sleep_before_the_idle_time,
                   sleep_is_bounded_and_announced_again, news_of_every_kind_wakes,
                   spinning_depends_on_ranks_and_cores, threads_that_sleep_at_once_wake_each_other);
}
