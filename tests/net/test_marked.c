/* This file tests messages that are known by their marks: to a handler they are short ones; who
 * waits for one takes it, and no other. */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "base/suite.h"
#include "net/endpoints.h"
#include "types/basic.h"
#include "types/layout/intern.h"

static const uint64_t rest[3] = {11, 22, 33};

static struct mpj_am_mark mark(uint64_t first)
{
  return (struct mpj_am_mark){first, rest};
}

enum { DATA_MOST = MPJ_AM_SHORT_MAX - MPJ_AM_MARK };

static void fill_data(unsigned char data[DATA_MOST], unsigned seed)
{
  for (unsigned i = 0; i < DATA_MOST; i++)
    data[i] = (unsigned char)(seed * 7 + i + 1);
}

static enum mpj_taken take(struct endpoints *e, uint64_t first, void *data, unsigned bytes)
{
  return mpj_net_take(e->net[1], 0, TEST_HANDLER, mark(first), data, bytes, NULL);
}

START_TEST(data_of_every_size_is_taken_as_it_was_sent)
{
  struct endpoints e;
  unsigned char data[DATA_MOST], got[DATA_MOST + 1];
  endpoints_open(&e, 2);
  ck_assert(mpj_net_can_take(e.net[0]));
  for (unsigned bytes = 0; bytes <= DATA_MOST; bytes++) {
    fill_data(data, bytes);
    memset(got, 0, sizeof got);
    ck_assert_int_eq(take(&e, bytes, got, bytes), MPJ_NOT_HERE);
    ck_assert_int_eq(mpj_net_marked(e.net[0], 1, TEST_HANDLER, mark(bytes), data, bytes),
                     MPJ_SUCCESS);
    ck_assert_int_eq(take(&e, bytes, got, bytes), MPJ_TAKEN_MARKED);
    ck_assert_mem_eq(got, data, bytes);
    ck_assert_int_eq(got[bytes], 0);
  }
  ck_assert(!mpj_net_poll(e.net[1]));
  endpoints_close(&e);
}
END_TEST

/* The message as its handler sees it. */
static void compose(unsigned char header[MPJ_AM_SHORT_MAX], uint64_t first, const void *data)
{
  memcpy(header, &first, sizeof first);
  memcpy(header + sizeof first, rest, sizeof rest);
  memcpy(header + MPJ_AM_MARK, data, DATA_MOST);
}

START_TEST(what_nobody_waits_for_goes_to_its_handler)
{
  struct endpoints e;
  struct inbox inbox;
  unsigned char data[DATA_MOST], header[MPJ_AM_SHORT_MAX];
  endpoints_open(&e, 2);
  inbox_open(&inbox, e.net[1]);
  fill_data(data, 5);
  compose(header, 77, data);
  ck_assert_int_eq(mpj_net_marked(e.net[0], 1, TEST_HANDLER, mark(77), data, DATA_MOST),
                   MPJ_SUCCESS);
  ck_assert(mpj_net_poll(e.net[1]));
  ck_assert_uint_eq(inbox.messages, 1);
  ck_assert_uint_eq(inbox.last.header_bytes, MPJ_AM_SHORT_MAX);
  ck_assert_mem_eq(inbox.header, header, MPJ_AM_SHORT_MAX);
  endpoints_close(&e);
}
END_TEST

START_TEST(an_ordinary_message_is_taken_by_its_first_bytes)
{
  struct endpoints e;
  unsigned char data[DATA_MOST], header[MPJ_AM_SHORT_MAX], got[DATA_MOST];
  endpoints_open(&e, 2);
  fill_data(data, 9);
  compose(header, 3, data);
  for (int lap = 0; lap < 3 * MPJ_RING_CELLS; lap++) { /* over cells that were marked, too */
    ck_assert_int_eq(mpj_net_marked(e.net[0], 1, TEST_HANDLER, mark(2), data, 8), MPJ_SUCCESS);
    ck_assert_int_eq(take(&e, 2, got, 8), MPJ_TAKEN_MARKED);
    ck_assert_int_eq(mpj_net_short(e.net[0], 1, TEST_HANDLER, header, sizeof header), MPJ_SUCCESS);
    ck_assert_int_eq(take(&e, 3, got, DATA_MOST), MPJ_TAKEN);
    ck_assert_mem_eq(got, data, DATA_MOST);
  }
  endpoints_close(&e);
}
END_TEST

/* One that differs in anything stays where it is, and its handler runs in the next poll. */
START_TEST(another_message_is_left)
{
  struct endpoints e;
  struct inbox inbox;
  unsigned char data[DATA_MOST], got[DATA_MOST];
  endpoints_open(&e, 2);
  inbox_open(&inbox, e.net[1]);
  fill_data(data, 1);
  for (int k = 0; k < 6; k++) {
    uint64_t other[3] = {rest[0], rest[1], rest[2]};
    if (k < 3) other[k]++;
    const struct mpj_am_mark sent = {k == 3 ? 43 : 42, other};
    const unsigned handler = k == 4 ? TEST_HANDLER + 1 : TEST_HANDLER, bytes = k == 5 ? 16 : 8;
    ck_assert_int_eq(mpj_net_marked(e.net[0], 1, TEST_HANDLER, sent, data, bytes), MPJ_SUCCESS);
    ck_assert_int_eq(mpj_net_take(e.net[1], 0, handler, mark(42), got, 8, NULL), MPJ_ANOTHER_HERE);
    ck_assert(mpj_net_poll(e.net[1]));
    ck_assert_uint_eq(inbox.messages, (unsigned)k + 1);
  }
  endpoints_close(&e);
}
END_TEST

static int send_payload(struct endpoints *e, const unsigned char header[MPJ_AM_MARK], void *data)
{
  struct mpj_cursor cursor;
  mpj_cursor_begin_bytes(&cursor, mpj_layout_of_basic(mpj_basic_of_handle(MPJ_BYTE)), data, 8);
  return mpj_net_eager(e->net[0], 1, TEST_HANDLER, header, MPJ_AM_MARK, &cursor, 8, NULL, NULL);
}

START_TEST(a_payload_is_not_taken_as_data)
{
  struct endpoints e;
  struct inbox inbox;
  unsigned char data[DATA_MOST], header[MPJ_AM_SHORT_MAX], got[DATA_MOST];
  endpoints_open(&e, 2);
  inbox_open(&inbox, e.net[1]);
  fill_data(data, 2);
  compose(header, 6, data);
  ck_assert_int_eq(send_payload(&e, header, data), MPJ_SUCCESS);
  ck_assert_int_eq(take(&e, 6, got, 0), MPJ_ANOTHER_HERE);
  ck_assert(mpj_net_poll(e.net[1]));
  ck_assert(inbox.last.has_payload);
  endpoints_close(&e);
}
END_TEST

/* Until it is released its slot is not another one's: there are many more messages than slots. */
START_TEST(a_payload_is_taken_where_one_is_waited_for)
{
  enum { MESSAGES = 100 };
  struct endpoints e;
  struct mpj_am_kept kept;
  unsigned char data[DATA_MOST], header[MPJ_AM_SHORT_MAX];
  endpoints_open(&e, 2);
  for (unsigned i = 0; i < MESSAGES; i++) {
    fill_data(data, i);
    compose(header, i, data);
    ck_assert_int_eq(mpj_net_take(e.net[1], 0, TEST_HANDLER, mark(i), NULL, 8, &kept),
                     MPJ_NOT_HERE);
    ck_assert_int_eq(send_payload(&e, header, data), MPJ_SUCCESS);
    ck_assert_int_eq(mpj_net_take(e.net[1], 0, TEST_HANDLER, mark(i), NULL, 7, &kept),
                     MPJ_ANOTHER_HERE);
    ck_assert_int_eq(mpj_net_take(e.net[1], 0, TEST_HANDLER, mark(i + 1), NULL, 8, &kept),
                     MPJ_ANOTHER_HERE);
    ck_assert_int_eq(mpj_net_take(e.net[1], 0, TEST_HANDLER, mark(i), NULL, 8, &kept), MPJ_TAKEN);
    ck_assert_mem_eq(kept.payload, data, 8);
    ck_assert_int_eq(kept.bytes, 8);
    mpj_net_release(e.net[1], &kept);
  }
  ck_assert_int_eq(mpj_net_short(e.net[0], 1, TEST_HANDLER, header, sizeof header), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_net_take(e.net[1], 0, TEST_HANDLER, mark(MESSAGES - 1), NULL, 8, &kept),
                   MPJ_ANOTHER_HERE);
  endpoints_close(&e);
}
END_TEST

START_TEST(full_ring_says_again_and_take_makes_room)
{
  struct endpoints e;
  uint64_t n = 0, got;
  endpoints_open(&e, 2);
  while (mpj_net_marked(e.net[0], 1, TEST_HANDLER, mark(n), &n, sizeof n) == MPJ_SUCCESS)
    n++;
  ck_assert_uint_eq(n, MPJ_RING_CELLS);
  ck_assert_int_eq(take(&e, 0, &got, sizeof got), MPJ_TAKEN_MARKED);
  ck_assert_uint_eq(got, 0);
  ck_assert_int_eq(mpj_net_marked(e.net[0], 1, TEST_HANDLER, mark(n), &n, sizeof n), MPJ_SUCCESS);
  for (uint64_t i = 1; i <= MPJ_RING_CELLS; i++) {
    ck_assert_int_eq(take(&e, i, &got, sizeof got), MPJ_TAKEN_MARKED);
    ck_assert_uint_eq(got, i);
  }
  endpoints_close(&e);
}
END_TEST

enum { THREAD_MESSAGES = 20000 };

static void *send_from_thread(void *arg)
{
  struct mpj_net *net = arg;
  for (uint64_t i = 0; i < THREAD_MESSAGES;) {
    const uint64_t data = i * i;
    if (mpj_net_marked(net, 1, TEST_HANDLER, mark(i), &data, sizeof data) == MPJ_SUCCESS)
      i++;
    else
      sched_yield();
  }
  return NULL;
}

START_TEST(a_thread_sends_to_one_that_takes)
{
  struct endpoints e;
  pthread_t thread;
  uint64_t got = 0;
  endpoints_open(&e, 2);
  ck_assert_int_eq(pthread_create(&thread, NULL, send_from_thread, e.net[0]), 0);
  for (uint64_t i = 0; i < THREAD_MESSAGES; i++) {
    while (take(&e, i, &got, sizeof got) == MPJ_NOT_HERE)
      sched_yield();
    ck_assert_uint_eq(got, i * i);
  }
  pthread_join(thread, NULL);
  endpoints_close(&e);
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/marked", data_of_every_size_is_taken_as_it_was_sent,
                   what_nobody_waits_for_goes_to_its_handler,
                   an_ordinary_message_is_taken_by_its_first_bytes, another_message_is_left,
                   a_payload_is_not_taken_as_data, a_payload_is_taken_where_one_is_waited_for,
                   full_ring_says_again_and_take_makes_room, a_thread_sends_to_one_that_takes);
}
