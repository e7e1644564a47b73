/* This file tests users' active messages that no sender makes: each is dropped, and nothing that
 * was under way suffers. */
#include <mpj/am.h>
#include <mpj/mpj.h>

#include "coll/engine_play.h"
#include "net/am/wire.h"
#include "net/endpoints.h"

enum { HANDLER = 3, NUMBER = 5, STRANGERS = 7 };

static int on_header(void *ctx, MPJ_Am_message m, const MPJ_Am_info *info, MPJ_Am_target *target)
{
  int *headers = ctx;
  (void)m;
  (void)target;
  (void)info;
  ++*headers;
  return MPJ_AM_LATER;
}

/* As a peer may say it: this much of data, of which this much is the header. */
static int send_raw(unsigned kind, unsigned number, unsigned header_bytes, unsigned data_bytes)
{
  struct mpj_am_wire w = {.head = {.kind = (uint8_t)kind,
                                   .handler = HANDLER,
                                   .number = (uint8_t)number,
                                   .header_bytes = (uint8_t)header_bytes}};
  return mpj_am_send_wire(world()->context->am, 0, &w, data_bytes);
}

static int strangers(void *arg)
{
  int headers = 0;
  const int me = world()->rank;
  (void)arg;
  NEED(!MPJ_Am_register(HANDLER, on_header, NULL, &headers) && !MPJ_Barrier(MPJ_COMM_WORLD));
  if (me == 1) {
    NEED(!send_raw(MPJ_AM_KIND_INLINE, NUMBER, 0, 8));        /* in order: rank 0 keeps it */
    NEED(!send_raw(MPJ_AM_KIND_INLINE, NUMBER, 0, 8));        /* its number again */
    NEED(!send_raw(MPJ_AM_KIND_INLINE, MPJ_AM_WINDOW, 0, 8)); /* a number that there is not */
    NEED(!send_raw(MPJ_AM_KIND_INLINE, 7, MPJ_AM_HEADER_MAX + 1, MPJ_AM_SMALL));
    NEED(!send_raw(MPJ_AM_KIND_INLINE, 8, 9, 8));                      /* more header than data */
    NEED(!send_raw(MPJ_AM_KIND_EAGER, 9, 0, 0));                       /* without a payload */
    NEED(!send_raw(MPJ_AM_KIND_ADVERT, 10, 0, 8));                     /* half an advertisement */
    NEED(!send_raw(MPJ_AM_KIND_INLINE | MPJ_AM_KIND_REPLY, 11, 0, 8)); /* to no request */
  }
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  for (int i = 0; i < 10; i++)
    NEED(!MPJ_Am_progress(NULL));
  NEED(headers == (me == 0));
  NEED(!MPJ_Barrier(MPJ_COMM_WORLD));
  return 0;
}

START_TEST(what_no_sender_makes_is_dropped)
{
  struct warnings w;
  char text[4000];
  warnings_begin(&w);
  const int line = MPJ_Run_threads(2, strangers, NULL);
  warnings_end(&w, text, sizeof text);
  ck_assert_msg(line == 0, "line %d: %s", line, text);
  int warnings = 0;
  for (const char *at = text; (at = strstr(at, "dropped")); at++)
    warnings++;
  ck_assert_msg(warnings == STRANGERS, "%s", text);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/am_strangers", what_no_sender_makes_is_dropped);
}
