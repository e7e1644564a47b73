/* This file tests inboxes: cells that anybody may fill, the pool of slots that goes with them, and
 * rings that are given and taken back. Run with MPJ_RINGS below the number of ranks. */
#include <mpj/datatype.h>

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/suite.h"
#include "net/cells/inbox.h"
#include "net/endpoints.h"
#include "types/made.h"

enum { RECEIVER = 3, SENDERS = 3 };

struct counter {
  uint32_t next[ENDPOINTS_MAX]; /* expected of each source */
  int wrong;
};

static enum mpj_am_verdict count_number(void *ctx, const struct mpj_am_arrival *arrival,
                                        struct mpj_am_dest *dest)
{
  (void)dest;
  struct counter *counter = ctx;
  uint32_t number;
  memcpy(&number, arrival->header, sizeof number);
  counter->wrong += number != counter->next[arrival->source]++;
  return MPJ_AM_DONE;
}

static int send_number(struct endpoints *e, int from, uint32_t number)
{
  return mpj_net_short(e->net[from], RECEIVER, TEST_HANDLER, &number, sizeof number);
}

static void open_all(struct endpoints *e, struct counter *counter)
{
  endpoints_open(e, RECEIVER + 1);
  ck_assert_ptr_nonnull(cells_of_rank(e, RECEIVER)->inbox);
  *counter = (struct counter){.wrong = 0};
  mpj_net_register(e->net[RECEIVER], TEST_HANDLER, count_number, counter);
}

static void drain(struct endpoints *e)
{
  while (mpj_net_poll(e->net[RECEIVER]))
    ;
}

START_TEST(messages_of_each_sender_come_once_and_in_order)
{
  enum { EACH = 3000 };
  struct endpoints e;
  struct counter counter;
  uint32_t sent[SENDERS] = {0};
  unsigned random = 7;
  open_all(&e, &counter);
  while (counter.next[0] + counter.next[1] + counter.next[2] < SENDERS * EACH) {
    random = random * 1103515245 + 12345;
    const int from = (int)(random >> 16) % SENDERS;
    for (unsigned burst = (random >> 20) % 9; burst > 0 && sent[from] < EACH; burst--)
      sent[from] += send_number(&e, from, sent[from]) == MPJ_SUCCESS;
    if (random >> 28 < 5) mpj_net_poll(e.net[RECEIVER]);
    for (int i = 0; i < SENDERS; i++)
      mpj_net_poll(e.net[i]); /* they give rings back */
    if (sent[0] + sent[1] + sent[2] == SENDERS * EACH) drain(&e);
  }
  ck_assert_int_eq(counter.wrong, 0);
  endpoints_close(&e);
}
END_TEST

struct sender {
  struct endpoints *e;
  int rank;
  pthread_t thread;
};
enum { FROM_EACH_THREAD = 20000 };

static void *send_from_thread(void *arg)
{
  const struct sender *s = arg;
  for (uint32_t n = 0; n < FROM_EACH_THREAD;) {
    if (send_number(s->e, s->rank, n) == MPJ_SUCCESS)
      n++;
    else
      sched_yield();
    mpj_net_poll(s->e->net[s->rank]);
  }
  return NULL;
}

START_TEST(senders_on_threads_lose_nothing)
{
  struct endpoints e;
  struct counter counter;
  struct sender senders[SENDERS];
  open_all(&e, &counter);
  for (int i = 0; i < SENDERS; i++) {
    senders[i] = (struct sender){.e = &e, .rank = i};
    ck_assert_int_eq(pthread_create(&senders[i].thread, NULL, send_from_thread, &senders[i]), 0);
  }
  while (counter.next[0] + counter.next[1] + counter.next[2] < SENDERS * FROM_EACH_THREAD)
    if (!mpj_net_poll(e.net[RECEIVER])) sched_yield();
  for (int i = 0; i < SENDERS; i++)
    ck_assert_int_eq(pthread_join(senders[i].thread, NULL), 0);
  ck_assert_int_eq(counter.wrong, 0);
  endpoints_close(&e);
}
END_TEST

/* Where ranks share cores a sender that finds no cell gives its core away, and all of them have
 * their turns before it: so each wait has to make room for all. */
START_TEST(who_waits_for_the_message_of_one_sender_makes_room_for_the_others)
{
  static const uint64_t rest[3] = {1, 2, 3};
  struct endpoints e;
  struct counter counter;
  uint32_t sent = 0, data;
  open_all(&e, &counter);
  for (unsigned lap = 0; lap < 3; lap++) {
    while (send_number(&e, 0, sent) == MPJ_SUCCESS)
      sent++;
    ck_assert_uint_eq(sent, (lap + 1) * MPJ_INBOX_EACH);
    ck_assert_int_eq(mpj_net_take(e.net[RECEIVER], 1, TEST_HANDLER, (struct mpj_am_mark){42, rest},
                                  &data, sizeof data, NULL),
                     MPJ_NOT_HERE);
    ck_assert_uint_eq(counter.next[0], sent);
  }
  ck_assert_int_eq(counter.wrong, 0);
  endpoints_close(&e);
}
END_TEST

/* Let `rank` stop in the middle of so many messages: cells from the first on. */
static void stop_in_the_middle(struct endpoints *e, int rank, unsigned first, unsigned end)
{
  struct mpj_inbox *in = cells_of_rank(e, RECEIVER)->inbox;
  for (unsigned i = first; i < end; i++)
    ck_assert(mpj_claim_take(&in->claim[i], rank));
}

START_TEST(a_sender_stopped_in_the_middle_delays_nobody_and_a_dead_ones_cells_come_back)
{
  struct endpoints e;
  struct counter counter;
  open_all(&e, &counter);
  struct mpj_inbox *in = cells_of_rank(&e, RECEIVER)->inbox;
  stop_in_the_middle(&e, 0, 1, MPJ_INBOX_CELLS); /* but for the one that is asked for */
  ck_assert(mpj_claim_take(&in->slot[5], 0));
  ck_assert(!mpj_inbox_take_slot(cells_of_rank(&e, RECEIVER), 1, 5)); /* it is none of 1 */
  for (uint32_t n = 0; n < 12; n++)
    for (int from = 1; from < SENDERS; from++) {
      while (send_number(&e, from, n) != MPJ_SUCCESS)
        mpj_net_poll(e.net[RECEIVER]);
      mpj_net_poll(e.net[RECEIVER]);
    }
  drain(&e);
  ck_assert_uint_eq(counter.next[1], 12);
  ck_assert_uint_eq(counter.next[2], 12);
  ck_assert_uint_eq(counter.next[0], 0);
  mpj_segment_mark(e.segment, 0, MPJ_RANK_DEAD, 9);
  drain(&e);
  for (unsigned i = 0; i < MPJ_INBOX_CELLS; i++)
    ck_assert_uint_eq(atomic_load(&in->claim[i]), 0);
  ck_assert_uint_eq(atomic_load(&in->slot[5]), 0);
  ck_assert_int_eq(counter.wrong, 0);
  endpoints_close(&e);
}
END_TEST

/* One cell for all, and one sender who tries ten times as often: each has its turn. */
START_TEST(nobody_starves_where_one_cell_is_left)
{
  struct endpoints e;
  struct counter counter;
  uint32_t sent[SENDERS] = {0};
  open_all(&e, &counter);
  stop_in_the_middle(&e, 0, 1, MPJ_INBOX_CELLS);
  for (int round = 0; round < 400; round++) {
    for (int i = 0; i < 10; i++)
      sent[1] += send_number(&e, 1, sent[1]) == MPJ_SUCCESS;
    sent[2] += send_number(&e, 2, sent[2]) == MPJ_SUCCESS;
    mpj_net_poll(e.net[RECEIVER]);
  }
  drain(&e);
  ck_assert_uint_ge(sent[2] * 3, sent[1]);
  ck_assert_uint_ge(sent[2], 100);
  ck_assert_int_eq(counter.wrong, 0);
  endpoints_close(&e);
}
END_TEST

/* Sender 1 waits for the last cell, has the turn, and does not come back: 2 gets it all the same.
 */
START_TEST(who_has_the_turn_and_is_stopped_or_dead_loses_it)
{
  enum { TRIES = 10000, SOON = 10 };
  for (int dies = 0; dies < 2; dies++) {
    struct endpoints e;
    struct counter counter;
    int tries = 0;
    open_all(&e, &counter);
    stop_in_the_middle(&e, 0, 1, MPJ_INBOX_CELLS);
    ck_assert_int_eq(send_number(&e, 2, 0), MPJ_SUCCESS);
    ck_assert_int_ne(send_number(&e, 1, 0), MPJ_SUCCESS);
    ck_assert_uint_eq(atomic_load(&cells_of_rank(&e, RECEIVER)->inbox->turn), 1 + 1);
    if (dies) mpj_segment_mark(e.segment, 1, MPJ_RANK_DEAD, 9);
    drain(&e);
    while (tries < TRIES && send_number(&e, 2, 1) != MPJ_SUCCESS)
      tries++;
    ck_assert_int_lt(tries, dies ? SOON : TRIES);
    drain(&e);
    ck_assert_uint_eq(counter.next[2], 2);
    ck_assert_int_eq(counter.wrong, 0);
    endpoints_close(&e);
  }
}
END_TEST

START_TEST(a_sender_has_a_few_cells_at_a_time)
{
  struct endpoints e;
  struct counter counter;
  open_all(&e, &counter);
  uint32_t n = 0;
  while (send_number(&e, 0, n) == MPJ_SUCCESS)
    n++;
  ck_assert_uint_eq(n, MPJ_INBOX_EACH);
  drain(&e);
  ck_assert_uint_eq(counter.next[0], n);
  ck_assert_int_eq(send_number(&e, 0, n), MPJ_SUCCESS);
  endpoints_close(&e);
}
END_TEST

/* What a broken rank writes: no message of anybody's, and the cell is free again. */
START_TEST(malformed_cells_are_dropped_with_a_warning)
{
  struct endpoints e;
  struct counter counter;
  struct warnings w;
  char text[400];
  open_all(&e, &counter);
  struct mpj_inbox *in = cells_of_rank(&e, RECEIVER)->inbox;
  const uint32_t claims[] = {1, mpj_claim_of(RECEIVER) | 1, mpj_claim_of(4) | 1, UINT32_MAX,
                             mpj_claim_of(0) | 1};
  for (unsigned i = 0; i < sizeof claims / sizeof *claims; i++) {
    atomic_store(&in->cell[i].turn, 77777); /* far from the next place of rank 0, too */
    atomic_store(&in->claim[i], claims[i]);
    atomic_fetch_or(&in->full[0], UINT64_C(1) << i);
    warnings_begin(&w);
    mpj_net_poll(e.net[RECEIVER]);
    warnings_end(&w, text, sizeof text);
    ck_assert_msg(strstr(text, "malformed"), "%u: %s", i, text);
    ck_assert_uint_eq(atomic_load(&in->claim[i]), 0);
  }
  atomic_fetch_or(&in->full[1], UINT64_MAX); /* cells that nobody has filled */
  atomic_store(&in->rings, UINT32_MAX);
  drain(&e);
  ck_assert_int_eq(send_number(&e, 0, 0), MPJ_SUCCESS);
  drain(&e);
  ck_assert_uint_eq(counter.next[0], 1);
  endpoints_close(&e);
}
END_TEST

static int send_value(struct mpj_net *net, uint64_t value)
{
  MPJ_Datatype type = contiguous(sizeof value, MPJ_BYTE);
  const struct mpj_view view = mpj_type_view(object_of(type));
  struct mpj_cursor cursor;
  must(mpj_cursor_begin(&cursor, &view, &value));
  const int status =
      mpj_net_eager(net, RECEIVER, TEST_HANDLER, NULL, 0, &cursor, sizeof value, NULL, NULL);
  ck_assert_int_eq(cursor.offset, status == MPJ_SUCCESS ? (int)sizeof value : 0);
  mpj_cursor_end(&cursor);
  free_types(1, &type);
  return status;
}

/* Each keeps all that it can: no sender gets more than half of the slots, and when they are gone
 * nobody's message is lost by it. */
START_TEST(who_holds_slots_leaves_half_of_the_pool_to_who_holds_none)
{
  struct endpoints e;
  struct inbox inbox;
  static struct mpj_am_kept kept[MPJ_POOL_SLOTS];
  unsigned n = 0;
  endpoints_open(&e, RECEIVER + 1);
  inbox_open(&inbox, e.net[RECEIVER]);
  inbox.verdict = MPJ_AM_KEEP;
  for (int from = 0; from < SENDERS; from++) {
    unsigned here = 0;
    while (send_value(e.net[from], n) == MPJ_SUCCESS) {
      ck_assert(mpj_net_poll(e.net[RECEIVER]));
      kept[n++] = inbox.last.kept;
      here++;
    }
    ck_assert_uint_eq(here, from == 0 ? MPJ_POOL_SLOTS / 4 : MPJ_INBOX_EACH);
  }
  ck_assert_int_eq(send_value(e.net[2], 1), MPJ_AM_AGAIN);
  ck_assert_int_eq(mpj_net_short(e.net[2], RECEIVER, TEST_HANDLER, "", 1), MPJ_SUCCESS);
  for (unsigned i = 0; i < n; i++) {
    uint64_t value;
    memcpy(&value, kept[i].payload, sizeof value);
    ck_assert_uint_eq(value, i);
    mpj_net_release(e.net[RECEIVER], &kept[i]);
  }
  ck_assert_int_eq(send_value(e.net[2], 1), MPJ_SUCCESS);
  endpoints_close(&e);
}
END_TEST

static void talk(struct endpoints *e, int from, uint32_t *n, unsigned messages)
{
  for (const uint32_t end = *n + messages; *n < end;) {
    *n += send_number(e, from, *n) == MPJ_SUCCESS;
    mpj_net_poll(e->net[RECEIVER]);
    for (int i = 0; i < SENDERS; i++)
      mpj_net_poll(e->net[i]);
  }
  drain(e);
}

/* With one ring: it goes to the first that talks often, and, when that is silent, to the next. */
START_TEST(a_ring_goes_to_who_talks_often_and_is_taken_back_when_it_is_idle)
{
  enum { OFTEN = 64, LONG = 40000 };
  struct endpoints e;
  struct counter counter;
  uint32_t n[SENDERS] = {0};
  open_all(&e, &counter);
  const struct mpj_cells *in = cells_of_rank(&e, RECEIVER);
  for (int turn = 0; turn < 6; turn++) {
    const int from = turn % 2;
    talk(&e, from, &n[from], turn == 0 ? OFTEN : LONG);
    ck_assert_ptr_nonnull(in->peers[from].in);
    ck_assert_ptr_null(in->peers[1 - from].in);
    talk(&e, 2, &n[2], 3);
  }
  ck_assert_int_eq(counter.wrong, 0);
  ck_assert_uint_eq(counter.next[0], n[0]);
  ck_assert_uint_eq(counter.next[1], n[1]);
  endpoints_close(&e);
}
END_TEST

/* MPJ_RINGS of the environment; else none, where all goes by inboxes. */
int main(void)
{
  setenv("MPJ_RINGS", "0", 0);
  if (strcmp(getenv("MPJ_RINGS"), "0") != 0)
    return RUN_SUITE("net/inbox, rings", messages_of_each_sender_come_once_and_in_order,
                     senders_on_threads_lose_nothing,
                     a_ring_goes_to_who_talks_often_and_is_taken_back_when_it_is_idle);
  return RUN_SUITE(
      "net/inbox", messages_of_each_sender_come_once_and_in_order, senders_on_threads_lose_nothing,
      a_sender_stopped_in_the_middle_delays_nobody_and_a_dead_ones_cells_come_back,
      who_waits_for_the_message_of_one_sender_makes_room_for_the_others,
      nobody_starves_where_one_cell_is_left, who_has_the_turn_and_is_stopped_or_dead_loses_it,
      a_sender_has_a_few_cells_at_a_time, malformed_cells_are_dropped_with_a_warning,
      who_holds_slots_leaves_half_of_the_pool_to_who_holds_none);
}
