/* This file tests that what a broken peer writes into its ring is dropped with a
 * warning, and that nothing else happens. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/suite.h"
#include "net/endpoints.h"
#include "net/threads/threads.h"

/* A cell as no sender here would write it. */
struct forged {
  unsigned handler, bytes, slot;
  uint32_t length; /* of the payload, in the last four bytes of the body */
};

/* Rank 0 sends it to rank 1. */
static void forge(struct endpoints *e, const struct forged *f)
{
  struct mpj_cells_peer *out = &cells_of_rank(e, 0)->peers[1];
  struct mpj_cell *cell = &out->out[out->tail % MPJ_RING_CELLS];
  cell->handler = (uint8_t)f->handler;
  cell->bytes = (uint8_t)f->bytes;
  cell->slot = (uint8_t)f->slot;
  memset(cell->body, 0xff, sizeof cell->body);
  memcpy(cell->body + MPJ_CELL_BODY - sizeof f->length, &f->length, sizeof f->length);
  atomic_store(&cell->turn, ++out->tail);
}

/* The segment's bytes, without how many cells rank 1 has taken from rank 0. */
static unsigned char *image_of(struct mpj_segment *s)
{
  unsigned char *image = mpj_alloc((size_t)s->bytes);
  ck_assert_ptr_nonnull(image);
  memcpy(image, s, (size_t)s->bytes);
  memset(image + ((unsigned char *)&mpj_segment_pair(s, 1, 0)->consumed - (unsigned char *)s), 0,
         sizeof(uint32_t));
  return image;
}

static void expect_dropped(struct endpoints *e, struct inbox *inbox, const struct forged *f,
                           const char *why)
{
  struct warnings w;
  char text[400];
  const unsigned messages = inbox->messages;
  forge(e, f);
  unsigned char *before = image_of(e->segment);
  warnings_begin(&w);
  const bool moved = mpj_net_poll(e->net[1]);
  warnings_end(&w, text, sizeof text);
  unsigned char *after = image_of(e->segment);
  ck_assert(moved);
  ck_assert_msg(strstr(text, why) && strstr(text, "rank 0"), "%s", text);
  ck_assert_uint_eq(inbox->messages, messages);
  ck_assert_int_eq(memcmp(before, after, (size_t)e->segment->bytes), 0);
  mpj_free(before);
  mpj_free(after);
}

START_TEST(malformed_cells_are_dropped_with_a_warning_and_write_nothing)
{
  struct endpoints e;
  struct inbox inbox;
  endpoints_open(&e, 2);
  inbox_open(&inbox, e.net[1]);
  const unsigned tokens = (unsigned)e.segment->config.tokens;
  const uint32_t most = (uint32_t)e.segment->config.eager_bytes;
  const struct forged forged[] = {{TEST_HANDLER, MPJ_CELL_BODY + 1, MPJ_NO_SLOT, 0},
                                  {TEST_HANDLER, 255, MPJ_NO_SLOT, 0},
                                  {TEST_HANDLER, 255, 0, 8},
                                  {TEST_HANDLER, 0, tokens, 8},
                                  {TEST_HANDLER, 0, 254, 8},
                                  {TEST_HANDLER, 4, 0, most + 1},
                                  {TEST_HANDLER, 4, 0, UINT32_MAX},
                                  {255, 255, 254, UINT32_MAX}};
  for (size_t i = 0; i < sizeof forged / sizeof *forged; i++)
    expect_dropped(&e, &inbox, &forged[i], "malformed");
  ck_assert_int_eq(mpj_net_short(e.net[0], 1, TEST_HANDLER, "good", 4), MPJ_SUCCESS);
  ck_assert(mpj_net_poll(e.net[1]));
  ck_assert_uint_eq(inbox.messages, 1);
  ck_assert_mem_eq(inbox.header, "good", 4);
  endpoints_close(&e);
}
END_TEST

START_TEST(message_for_a_handler_that_does_not_exist_is_dropped_with_a_warning)
{
  struct endpoints e;
  struct inbox inbox;
  endpoints_open(&e, 2);
  inbox_open(&inbox, e.net[1]);
  const unsigned handlers[] = {MPJ_AM_REQUEST,      MPJ_AM_FRAGMENT, MPJ_AM_PUSHED,
                               MPJ_AM_HANDLERS - 1, MPJ_AM_HANDLERS, 255};
  for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++) {
    const struct forged f = {handlers[i], 10, MPJ_NO_SLOT, 0};
    expect_dropped(&e, &inbox, &f, "which does not exist");
  }
  endpoints_close(&e);
}
END_TEST

START_TEST(payload_for_a_handler_that_does_not_exist_gives_its_slot_back)
{
  struct endpoints e;
  struct warnings w;
  char text[400];
  endpoints_open(&e, 2);
  const struct forged f = {MPJ_AM_HANDLERS, 0, 1 % (unsigned)e.segment->config.tokens, 8};
  forge(&e, &f);
  warnings_begin(&w);
  ck_assert(mpj_net_poll(e.net[1]));
  warnings_end(&w, text, sizeof text);
  ck_assert_ptr_nonnull(strstr(text, "which does not exist"));
  ck_assert_uint_eq(atomic_load(&mpj_segment_pair(e.segment, 1, 0)->returned), 1u << f.slot);
  endpoints_close(&e);
}
END_TEST

START_TEST(cells_of_another_lap_are_not_read)
{
  struct endpoints e;
  struct inbox inbox;
  endpoints_open(&e, 2);
  inbox_open(&inbox, e.net[1]);
  struct mpj_cell *ring = mpj_segment_ring(e.segment, 1, 0);
  const uint32_t turns[] = {2, MPJ_RING_CELLS, MPJ_RING_CELLS + 1, UINT32_MAX, 0};
  for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
    atomic_store(&ring[0].turn, turns[i]);
    ck_assert(!mpj_net_poll(e.net[1]));
  }
  ck_assert_uint_eq(inbox.messages, 0);
  endpoints_close(&e);
}
END_TEST

START_TEST(endpoint_with_other_settings_than_the_segment_is_refused)
{
  struct endpoints e;
  struct mpj_net *net = NULL;
  endpoints_open(&e, 1);
  e.segment->config.settings ^= 1;
  ck_assert_int_eq(mpj_threads_open(e.segment, 0, &net), MPJ_ERR_ARG);
  ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "settings"));
  ck_assert_ptr_null(net);
  endpoints_close(&e);
}
END_TEST

START_TEST(segment_for_too_few_threads_is_refused)
{
  struct mpj_segment *segment = NULL;
  ck_assert_int_eq(mpj_threads_segment_create(0, &segment), MPJ_ERR_ARG);
  ck_assert_int_eq(mpj_threads_segment_create(-1, &segment), MPJ_ERR_ARG);
  ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "-1"));
  ck_assert_ptr_null(segment);
}
END_TEST

START_TEST(endpoint_without_memory_is_refused_and_leaks_nothing)
{
  struct endpoints e;
  struct mpj_net *net = NULL;
  int status = MPJ_ERR_NO_MEM;
  endpoints_open(&e, 1);
  const long outstanding = mpj_memory_outstanding();
  long successes = 0;
  for (; status != MPJ_SUCCESS; successes++) {
    ck_assert_int_eq(mpj_memory_outstanding(), outstanding);
    mpj_memory_fail_after(successes);
    endpoints_vacate(&e, 0);
    status = mpj_threads_open(e.segment, 0, &net);
    mpj_memory_fail_after(-1);
    ck_assert(status == MPJ_SUCCESS || status == MPJ_ERR_NO_MEM);
  }
  ck_assert_int_gt(successes, 3); /* as many places can fail */
  mpj_net_close(net, MPJ_RANK_FINALIZED, 0);
  endpoints_close(&e);
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "net/malformed", malformed_cells_are_dropped_with_a_warning_and_write_nothing,
      message_for_a_handler_that_does_not_exist_is_dropped_with_a_warning,
      payload_for_a_handler_that_does_not_exist_gives_its_slot_back,
      cells_of_another_lap_are_not_read, endpoint_with_other_settings_than_the_segment_is_refused,
      segment_for_too_few_threads_is_refused, endpoint_without_memory_is_refused_and_leaks_nothing);
}
