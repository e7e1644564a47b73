/* This file tests short messages: cells in a ring from one rank to another. */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "base/suite.h"
#include "net/endpoints.h"

static int send_number(struct mpj_net *net, int peer, uint32_t number)
{
  return mpj_net_short(net, peer, TEST_HANDLER, &number, sizeof number);
}

/* Keeps the numbers that came, each of which must follow the one before. */
struct counter {
  uint32_t next[ENDPOINTS_MAX]; /* expected of each source */
  int wrong;
};

static enum mpj_am_verdict count_number(void *ctx, const struct mpj_am_arrival *arrival,
                                        struct mpj_am_dest *dest)
{
  (void)dest;
  struct counter *counter = ctx;
  uint32_t number = 0;
  if (arrival->header_bytes == sizeof number) memcpy(&number, arrival->header, sizeof number);
  counter->wrong += number != counter->next[arrival->source]++ || arrival->has_payload ||
                    arrival->header_bytes != sizeof number;
  return MPJ_AM_DONE;
}

START_TEST(headers_of_every_size_arrive_as_they_were_sent)
{
  struct endpoints e;
  struct inbox inbox;
  unsigned char header[MPJ_AM_SHORT_MAX];
  endpoints_open(&e, 2);
  inbox_open(&inbox, e.net[1]);
  for (unsigned bytes = 0; bytes <= MPJ_AM_SHORT_MAX; bytes++) {
    for (unsigned i = 0; i < bytes; i++)
      header[i] = (unsigned char)(bytes * 5 + i * 3 + 1);
    ck_assert_int_eq(mpj_net_short(e.net[0], 1, TEST_HANDLER, header, bytes), MPJ_SUCCESS);
    ck_assert(mpj_net_poll(e.net[1]));
    ck_assert_uint_eq(inbox.messages, bytes + 1);
    ck_assert_int_eq(inbox.last.source, 0);
    ck_assert(!inbox.last.has_payload);
    ck_assert_uint_eq(inbox.last.header_bytes, bytes);
    ck_assert_mem_eq(inbox.header, header, bytes);
  }
  ck_assert(!mpj_net_poll(e.net[1]));
  endpoints_close(&e);
}
END_TEST

START_TEST(messages_of_each_sender_arrive_in_order)
{
  struct endpoints e;
  struct counter counter = {.wrong = 0};
  endpoints_open(&e, 3);
  mpj_net_register(e.net[2], TEST_HANDLER, count_number, &counter);
  for (uint32_t i = 0; i < 50; i++) {
    ck_assert_int_eq(send_number(e.net[0], 2, i), MPJ_SUCCESS);
    ck_assert_int_eq(send_number(e.net[1], 2, i), MPJ_SUCCESS);
  }
  while (mpj_net_poll(e.net[2]))
    ;
  for (int source = 0; source < 2; source++)
    ck_assert_uint_eq(counter.next[source], 50);
  ck_assert_int_eq(counter.wrong, 0);
  endpoints_close(&e);
}
END_TEST

struct sources {
  struct mpj_net *net;
  int n, source[8];
};

static enum mpj_am_verdict take_one(void *ctx, const struct mpj_am_arrival *arrival,
                                    struct mpj_am_dest *dest)
{
  (void)dest;
  struct sources *s = ctx;
  s->source[s->n++] = arrival->source;
  s->net->enough = true;
  return MPJ_AM_DONE;
}

/* And nobody is passed over: two from rank 0, one from each of the others. */
START_TEST(poll_ends_when_a_handler_has_enough)
{
  struct endpoints e;
  endpoints_open(&e, 4);
  struct sources s = {.net = e.net[3]};
  mpj_net_register(e.net[3], TEST_HANDLER, take_one, &s);
  for (int i = 0; i < 4; i++)
    ck_assert_int_eq(send_number(e.net[i % 3], 3, 0), MPJ_SUCCESS);
  for (int i = 0; i < 4; i++) {
    ck_assert(mpj_net_poll(e.net[3]));
    ck_assert_int_eq(s.n, i + 1);
    ck_assert(!mpj_net_poll(e.net[3]));
    ck_assert_int_eq(s.n, i + 1);
    e.net[3]->enough = false;
  }
  for (int i = 0; i < 4; i++)
    ck_assert_int_eq(s.source[i], i % 3);
  ck_assert(!mpj_net_poll(e.net[3]));
  endpoints_close(&e);
}
END_TEST

/* Send until there is no room; returns how many went. */
static uint32_t fill(struct mpj_net *net, int peer, uint32_t first)
{
  uint32_t n = first;
  while (send_number(net, peer, n) == MPJ_SUCCESS)
    n++;
  return n - first;
}

START_TEST(full_ring_says_again_until_the_peer_has_polled)
{
  struct endpoints e;
  struct counter counter = {.wrong = 0};
  endpoints_open(&e, 2);
  mpj_net_register(e.net[1], TEST_HANDLER, count_number, &counter);
  uint32_t sent = fill(e.net[0], 1, 0);
  ck_assert_uint_eq(sent, MPJ_RING_CELLS);
  for (int i = 0; i < 3; i++)
    ck_assert_int_eq(send_number(e.net[0], 1, 999), MPJ_AM_AGAIN);
  ck_assert(mpj_net_poll(e.net[1]));
  const uint32_t taken = counter.next[0];
  ck_assert_uint_gt(taken, 0);
  ck_assert_uint_eq(fill(e.net[0], 1, sent), taken);
  while (mpj_net_poll(e.net[1]))
    ;
  ck_assert_uint_eq(counter.next[0], sent + taken);
  ck_assert_int_eq(counter.wrong, 0);
  endpoints_close(&e);
}
END_TEST

/* Bring both ends of the ring from 0 to 1 to where `position` cells have passed. */
static void set_position(struct endpoints *e, uint32_t position)
{
  struct mpj_cells_peer *out = &cells_of_rank(e, 0)->peers[1];
  out->tail = position;
  out->left = MPJ_RING_CELLS;
  cells_of_rank(e, 1)->peers[0].head = position;
  mpj_cells_look_for(cells_of_rank(e, 1), 0);
  atomic_store(&out->out_pair->consumed, position);
  for (uint32_t p = position - MPJ_RING_CELLS; p != position; p++)
    atomic_store(&out->out[p % MPJ_RING_CELLS].turn, p + 1);
}

static void send_many(struct endpoints *e, uint32_t total)
{
  struct counter counter = {.wrong = 0};
  mpj_net_register(e->net[1], TEST_HANDLER, count_number, &counter);
  unsigned random = 12345;
  for (uint32_t sent = 0; counter.next[0] < total;) {
    random = random * 1103515245 + 12345;
    for (unsigned burst = (random >> 16) % 90; burst > 0 && sent < total; burst--)
      if (send_number(e->net[0], 1, sent) == MPJ_SUCCESS) sent++;
    for (unsigned polls = (random >> 24) % 5; polls > 0; polls--)
      mpj_net_poll(e->net[1]);
    ck_assert_uint_le(sent - counter.next[0], MPJ_RING_CELLS);
  }
  ck_assert_uint_eq(counter.next[0], total);
  ck_assert_int_eq(counter.wrong, 0);
}

START_TEST(ring_is_used_for_many_laps)
{
  struct endpoints e;
  endpoints_open(&e, 2);
  send_many(&e, 100 * MPJ_RING_CELLS + 7);
  endpoints_close(&e);
}
END_TEST

START_TEST(positions_pass_the_end_of_32_bits)
{
  static const uint32_t before[] = {0, 1, 63, 64, 65, 100, 1000};
  for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
    struct endpoints e;
    endpoints_open(&e, 2);
    set_position(&e, UINT32_MAX - before[i]);
    ck_assert(!mpj_net_poll(e.net[1]));
    send_many(&e, 3000);
    endpoints_close(&e);
  }
}
END_TEST

enum { THREAD_MESSAGES = 20000 };

static void *send_from_thread(void *arg)
{
  struct mpj_net *net = arg;
  for (uint32_t i = 0; i < THREAD_MESSAGES;) {
    if (send_number(net, 0, i) == MPJ_SUCCESS)
      i++;
    else
      sched_yield();
  }
  return NULL;
}

START_TEST(threads_send_to_one_that_polls)
{
  struct endpoints e;
  struct counter counter = {.wrong = 0};
  pthread_t thread[2];
  endpoints_open(&e, 3);
  mpj_net_register(e.net[0], TEST_HANDLER, count_number, &counter);
  for (int i = 0; i < 2; i++)
    ck_assert_int_eq(pthread_create(&thread[i], NULL, send_from_thread, e.net[i + 1]), 0);
  while (counter.next[1] + counter.next[2] < 2 * THREAD_MESSAGES)
    if (!mpj_net_poll(e.net[0])) sched_yield();
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  ck_assert_int_eq(counter.wrong, 0);
  endpoints_close(&e);
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/short", headers_of_every_size_arrive_as_they_were_sent,
                   messages_of_each_sender_arrive_in_order, poll_ends_when_a_handler_has_enough,
                   full_ring_says_again_until_the_peer_has_polled, ring_is_used_for_many_laps,
                   positions_pass_the_end_of_32_bits, threads_send_to_one_that_polls);
}
