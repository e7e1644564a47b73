/* This file tests eager messages: payloads packed into early-arrival slots,
 * which tokens ration. */
#include <mpj/datatype.h>

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "base/suite.h"
#include "net/endpoints.h"
#include "types/made.h"

enum { ROOM = 20000 };

static unsigned char pattern(MPJ_Count i)
{
  return (unsigned char)(i * 7 + i / 251 + 3);
}

/* A view of `bytes` bytes at `base`: dense, or blocks of 3 every 5. */
static struct mpj_cursor cursor_over(void *base, MPJ_Datatype *type, MPJ_Count bytes, bool strided)
{
  struct mpj_cursor cursor;
  *type = strided ? vector(bytes / 3, 3, 5, MPJ_BYTE) : contiguous(bytes, MPJ_BYTE);
  const struct mpj_view view = mpj_type_view(object_of(*type));
  must(mpj_cursor_begin(&cursor, &view, base));
  return cursor;
}

/* Byte i of the stream of such a view. */
static unsigned char *byte_of(unsigned char *base, MPJ_Count i, bool strided)
{
  return strided ? base + i / 3 * 5 + i % 3 : base + i;
}

static void send_and_deliver(struct endpoints *e, MPJ_Count bytes, bool from_strided,
                             bool to_strided)
{
  static unsigned char from[ROOM], to[ROOM], expected[ROOM];
  MPJ_Datatype types[2];
  struct inbox inbox;
  struct outcome outcome = {0, -1};
  inbox_open(&inbox, e->net[1]);
  memset(to, 0xee, ROOM);
  memset(expected, 0xee, ROOM);
  for (MPJ_Count i = 0; i < bytes; i++) {
    *byte_of(from, i, from_strided) = pattern(i);
    *byte_of(expected, i, to_strided) = pattern(i);
  }
  struct mpj_cursor src = cursor_over(from, &types[0], bytes, from_strided);
  struct mpj_cursor dst = cursor_over(to, &types[1], bytes, to_strided);
  inbox.verdict = MPJ_AM_DELIVER;
  inbox.dest = (struct mpj_am_dest){&dst, outcome_note, &outcome};
  const unsigned header_bytes = (unsigned)bytes % (MPJ_AM_EAGER_HEADER_MAX + 1);
  unsigned char header[MPJ_AM_EAGER_HEADER_MAX];
  memset(header, (int)bytes, sizeof header);
  ck_assert_int_eq(
      mpj_net_eager(e->net[0], 1, TEST_HANDLER, header, header_bytes, &src, bytes, NULL, NULL),
      MPJ_SUCCESS);
  ck_assert_int_eq(mpj_cursor_remaining(&src), 0);
  memset(from, 0x11, ROOM); /* the data has left */
  ck_assert(mpj_net_poll(e->net[1]));
  ck_assert_int_eq(outcome.calls, 1);
  ck_assert_int_eq(outcome.status, MPJ_SUCCESS);
  ck_assert_int_eq(mpj_cursor_remaining(&dst), 0);
  ck_assert(inbox.last.has_payload);
  ck_assert_int_eq(inbox.last.kept.bytes, bytes);
  ck_assert_uint_eq(inbox.last.header_bytes, header_bytes);
  ck_assert_mem_eq(inbox.header, header, header_bytes);
  ck_assert_mem_eq(to, expected, ROOM);
  free_types(2, types);
}

START_TEST(payload_is_delivered_from_layout_to_layout)
{
  struct endpoints e;
  endpoints_open(&e, 2);
  const MPJ_Count most = e.net[0]->eager_bytes - e.net[0]->eager_bytes % 3;
  const MPJ_Count sizes[] = {0, 3, 6, 51, 54, 57, 999, 3000, most};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int strided = 0; strided < 4; strided++)
      if (sizes[i] <= most) send_and_deliver(&e, sizes[i], strided & 1, strided & 2);
  send_and_deliver(&e, e.net[0]->eager_bytes, false, false);
  send_and_deliver(&e, 1, false, false);
  endpoints_close(&e);
}
END_TEST

/* Send 8 bytes of `value`; the cursor must move only if that went. */
static int send_value(struct mpj_net *net, uint64_t value)
{
  MPJ_Datatype type;
  struct mpj_cursor src = cursor_over(&value, &type, sizeof value, false);
  const int status = mpj_net_eager(net, 1, TEST_HANDLER, NULL, 0, &src, sizeof value, NULL, NULL);
  ck_assert_int_eq(src.offset, status == MPJ_SUCCESS ? (int)sizeof value : 0);
  free_types(1, &type);
  return status;
}

static uint64_t value_in(const struct mpj_am_kept *kept)
{
  uint64_t value;
  ck_assert_int_eq(kept->bytes, sizeof value);
  memcpy(&value, kept->payload, sizeof value);
  return value;
}

START_TEST(kept_payloads_use_up_the_tokens_until_released_in_any_order)
{
  struct endpoints e;
  struct inbox inbox;
  struct mpj_am_kept kept[32];
  endpoints_open(&e, 2);
  inbox_open(&inbox, e.net[1]);
  inbox.verdict = MPJ_AM_KEEP;
  const unsigned tokens = (unsigned)e.segment->config.tokens;
  for (uint64_t i = 0; i < tokens; i++) {
    ck_assert_int_eq(send_value(e.net[0], i), MPJ_SUCCESS);
    ck_assert(mpj_net_poll(e.net[1]));
    kept[i] = inbox.last.kept;
  }
  ck_assert_int_eq(send_value(e.net[0], 99), MPJ_AM_AGAIN);
  for (unsigned round = 0; round < 5 * tokens; round++) {
    const unsigned i = round * 3 % tokens; /* not the order in which they were taken */
    const uint64_t old = value_in(&kept[i]);
    mpj_net_release(e.net[1], &kept[i]);
    ck_assert_int_eq(send_value(e.net[0], 100 + round), MPJ_SUCCESS);
    ck_assert_int_eq(send_value(e.net[0], 99), MPJ_AM_AGAIN);
    ck_assert(mpj_net_poll(e.net[1]));
    ck_assert_uint_eq(inbox.last.kept.slot, kept[i].slot);
    kept[i] = inbox.last.kept;
    ck_assert_uint_ne(value_in(&kept[i]), old);
    ck_assert_uint_eq(value_in(&kept[i]), 100 + round);
  }
  endpoints_close(&e);
}
END_TEST

START_TEST(done_verdict_gives_the_slot_back)
{
  struct endpoints e;
  struct inbox inbox;
  endpoints_open(&e, 2);
  inbox_open(&inbox, e.net[1]);
  for (uint64_t i = 0; i < 100; i++) {
    ck_assert_int_eq(send_value(e.net[0], i), MPJ_SUCCESS);
    ck_assert(mpj_net_poll(e.net[1]));
  }
  ck_assert_uint_eq(inbox.messages, 100);
  endpoints_close(&e);
}
END_TEST

START_TEST(full_ring_moves_neither_cursor_nor_token)
{
  struct endpoints e;
  struct inbox inbox;
  endpoints_open(&e, 2);
  inbox_open(&inbox, e.net[1]);
  while (mpj_net_short(e.net[0], 1, TEST_HANDLER, NULL, 0) == MPJ_SUCCESS)
    ;
  for (int i = 0; i < 100; i++)
    ck_assert_int_eq(send_value(e.net[0], 1), MPJ_AM_AGAIN);
  while (mpj_net_poll(e.net[1]))
    ;
  for (long i = 0; i < e.segment->config.tokens; i++)
    ck_assert_int_eq(send_value(e.net[0], 2), MPJ_SUCCESS);
  endpoints_close(&e);
}
END_TEST

START_TEST(tokens_for_slots_that_do_not_exist_are_ignored)
{
  struct endpoints e;
  struct inbox inbox;
  endpoints_open(&e, 2);
  inbox_open(&inbox, e.net[1]);
  inbox.verdict = MPJ_AM_KEEP;
  const long tokens = e.segment->config.tokens;
  if (tokens < 32) {
    for (long i = 0; i < tokens; i++)
      ck_assert_int_eq(send_value(e.net[0], 1), MPJ_SUCCESS);
    atomic_store(&mpj_segment_pair(e.segment, 1, 0)->returned, UINT32_MAX << tokens);
    ck_assert_int_eq(send_value(e.net[0], 2), MPJ_AM_AGAIN);
    atomic_store(&mpj_segment_pair(e.segment, 1, 0)->returned, UINT32_MAX);
    for (long i = 0; i < tokens; i++)
      ck_assert_int_eq(send_value(e.net[0], 3), MPJ_SUCCESS);
    ck_assert_int_eq(send_value(e.net[0], 4), MPJ_AM_AGAIN);
  }
  endpoints_close(&e);
}
END_TEST

START_TEST(one_cursor_is_sent_in_pieces)
{
  static unsigned char from[ROOM], packed[3000];
  struct endpoints e;
  struct inbox inbox;
  MPJ_Datatype type;
  endpoints_open(&e, 2);
  inbox_open(&inbox, e.net[1]);
  inbox.verdict = MPJ_AM_KEEP;
  for (MPJ_Count i = 0; i < 3000; i++)
    *byte_of(from, i, true) = pattern(i);
  struct mpj_cursor src = cursor_over(from, &type, 3000, true);
  for (MPJ_Count at = 0, piece = 1; at < 3000; at += piece) {
    piece = at + 2 * piece + 1 > 3000 ? 3000 - at : 2 * piece + 1;
    ck_assert_int_eq(mpj_net_eager(e.net[0], 1, TEST_HANDLER, NULL, 0, &src, piece, NULL, NULL),
                     MPJ_SUCCESS);
    ck_assert_int_eq(src.offset, at + piece);
    ck_assert(mpj_net_poll(e.net[1]));
    memcpy(packed + at, inbox.last.kept.payload, (size_t)inbox.last.kept.bytes);
    mpj_net_release(e.net[1], &inbox.last.kept);
  }
  for (MPJ_Count i = 0; i < 3000; i++)
    ck_assert_uint_eq(packed[i], pattern(i));
  free_types(1, &type);
  endpoints_close(&e);
}
END_TEST

enum { THREAD_VALUES = 5000 };

static void *send_values(void *arg)
{
  for (uint64_t i = 0; i < THREAD_VALUES;) {
    if (send_value(arg, i) == MPJ_SUCCESS)
      i++;
    else
      sched_yield();
  }
  return NULL;
}

struct sum {
  uint64_t next;
  int wrong;
};

static enum mpj_am_verdict expect_next(void *ctx, const struct mpj_am_arrival *arrival,
                                       struct mpj_am_dest *dest)
{
  (void)dest;
  struct sum *sum = ctx;
  sum->wrong += value_in(&arrival->kept) != sum->next++;
  return MPJ_AM_DONE;
}

START_TEST(thread_fills_slots_while_another_empties_them)
{
  struct endpoints e;
  struct sum sum = {0, 0};
  pthread_t thread;
  endpoints_open(&e, 2);
  mpj_net_register(e.net[1], TEST_HANDLER, expect_next, &sum);
  ck_assert_int_eq(pthread_create(&thread, NULL, send_values, e.net[0]), 0);
  while (sum.next < THREAD_VALUES)
    if (!mpj_net_poll(e.net[1])) sched_yield();
  pthread_join(thread, NULL);
  ck_assert_int_eq(sum.wrong, 0);
  endpoints_close(&e);
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/eager", payload_is_delivered_from_layout_to_layout,
                   kept_payloads_use_up_the_tokens_until_released_in_any_order,
                   done_verdict_gives_the_slot_back, full_ring_moves_neither_cursor_nor_token,
                   tokens_for_slots_that_do_not_exist_are_ignored, one_cursor_is_sent_in_pieces,
                   thread_fills_slots_while_another_empties_them);
}
