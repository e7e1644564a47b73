/* This file tests the far transport over a wire that a test works by hand: what is sent
 * lies in a queue until the receiver polls, and streams end at either side when the test
 * says so. */
#include <mpj/datatype.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "net/endpoints.h"
#include "net/far/far.h"
#include "net/far/far_connect.h"
#include "net/route/route.h"
#include "net/threads/threads.h"
#include "types/made.h"

enum { BYTES = 5000 };

/* A stream from one side to the other, until it has ended at both. */
struct gift {
  struct mpj_cursor *source;
  mpj_am_complete_fn *complete;
  void *arg;
};

struct item {
  struct item *next;
  struct mpj_far_head head;
  unsigned char *payload; /* owned; NULL: none */
  size_t bytes;
  struct gift gift; /* complete NULL: a message */
};

struct wire {
  struct mpj_carrier head; /* first */
  struct mpj_segment *segment;
  struct mpj_net *net;
  struct wire *other;
  struct item *first, **last; /* what has come and was not polled */
  struct gift given, taken;   /* whose end this side has not been told */
};

static struct wire *wire_of(struct mpj_carrier *c)
{
  return (struct wire *)c;
}

static struct item *append(struct wire *to, const struct mpj_far_head *head)
{
  struct item *item = calloc(1, sizeof *item);
  ck_assert_ptr_nonnull(item);
  item->head = *head;
  *to->last = item;
  to->last = &item->next;
  return item;
}

static int wire_connect(struct mpj_carrier *c, int peer, const void *address, size_t bytes)
{
  (void)c;
  (void)peer;
  (void)address;
  (void)bytes;
  return MPJ_SUCCESS;
}

static int wire_post(struct mpj_carrier *c, int peer, const struct mpj_far_head *head,
                     struct mpj_cursor *payload, MPJ_Count bytes, bool urgent)
{
  struct item *item = append(wire_of(c)->other, head);
  (void)peer;
  (void)urgent;
  if (!payload) return MPJ_SUCCESS;
  item->payload = malloc((size_t)bytes + 1);
  item->bytes = (size_t)bytes;
  mpj_cursor_pack(payload, item->payload, bytes);
  return MPJ_SUCCESS;
}

static int wire_give(struct mpj_carrier *c, int peer, const struct mpj_far_head *head,
                     struct mpj_cursor *source, mpj_am_complete_fn *complete, void *arg)
{
  struct wire *w = wire_of(c);
  (void)peer;
  w->given = (struct gift){source, complete, arg};
  append(w->other, head)->gift = w->given;
  return MPJ_SUCCESS;
}

static int wire_take(struct mpj_carrier *c, void *offer, struct mpj_cursor *dst,
                     mpj_am_complete_fn *complete, void *arg)
{
  const struct item *item = offer;
  mpj_cursor_copy(dst, item->gift.source, mpj_cursor_remaining(dst));
  wire_of(c)->taken = (struct gift){NULL, complete, arg};
  return MPJ_SUCCESS;
}

static void wire_release(struct mpj_carrier *c, void *payload)
{
  (void)c;
  free(payload);
}

static bool wire_poll(struct mpj_carrier *c)
{
  struct wire *w = wire_of(c);
  struct item *item = w->first;
  if (!item) return false;
  w->first = item->next;
  if (!w->first) w->last = &w->first;
  const size_t head_bytes = MPJ_FAR_FIXED + item->head.bytes;
  if (item->gift.complete)
    mpj_far_offer(c->far, 1 - c->far->rank, &item->head, head_bytes, item,
                  (size_t)mpj_cursor_remaining(item->gift.source));
  else if (!mpj_far_receive(c->far, 1 - c->far->rank, &item->head, head_bytes, item->payload,
                            item->bytes))
    free(item->payload);
  free(item);
  return true;
}

static void wire_flush(struct mpj_carrier *c, double seconds)
{
  (void)c;
  (void)seconds;
}

/* While a side waits for the other, that moves on. */
static void wire_sleep(struct mpj_carrier *c, int ms, struct mpj_net *inside)
{
  struct wire *other = wire_of(c)->other;
  (void)inside;
  (void)ms;
  if (other->net) mpj_net_poll(other->net);
}

static void wire_close(struct mpj_carrier *c)
{
  struct wire *w = wire_of(c);
  while (w->first) {
    struct item *item = w->first;
    w->first = item->next;
    free(item->payload);
    free(item);
  }
  w->last = &w->first;
}

static const struct mpj_carrier_ops wire_ops = {.name = "wire",
                                                .connect = wire_connect,
                                                .post = wire_post,
                                                .give = wire_give,
                                                .take = wire_take,
                                                .release = wire_release,
                                                .poll = wire_poll,
                                                .flush = wire_flush,
                                                .sleep = wire_sleep,
                                                .close = wire_close};

/* Tell a side that its part of the stream has ended. */
static void end_at(struct gift *gift)
{
  const struct gift ended = *gift;
  gift->complete = NULL;
  ended.complete(ended.arg, MPJ_SUCCESS);
}

/* Two ranks on two nodes */

struct pair {
  struct wire wire[2];
  long outstanding;
};

static void pair_open(struct pair *p)
{
  memset(p, 0, sizeof *p);
  p->outstanding = mpj_memory_outstanding();
  for (int i = 0; i < 2; i++) {
    struct wire *w = &p->wire[i];
    struct mpj_net *local;
    struct mpj_far *far;
    w->head.ops = &wire_ops;
    w->other = &p->wire[1 - i];
    w->last = &w->first;
    must(mpj_threads_segment_create(1, &w->segment));
    must(mpj_threads_open(w->segment, 0, &local));
    must(mpj_far_open(&w->head, i, 2, &far));
    must(mpj_far_connect(far, 1 - i, NULL, 0));
    must(mpj_route_open(local, &i, false, far, i, 2, 2, &w->net));
  }
}

static void pair_close(struct pair *p)
{
  for (int i = 0; i < 2; i++) {
    struct mpj_net *net = p->wire[i].net;
    mpj_net_close(net, MPJ_RANK_FINALIZED, 0);
    p->wire[i].net = NULL;
    mpj_threads_segment_free(p->wire[i].segment);
  }
  ck_assert_int_eq(mpj_memory_outstanding(), p->outstanding);
}

static void poll_both(struct pair *p, int times)
{
  for (int i = 0; i < times; i++)
    mpj_net_poll(p->wire[i % 2].net);
}

/* A pull of rank 1 from rank 0, up to where the stream moves. */
struct transfer {
  unsigned char from[BYTES], to[BYTES];
  MPJ_Datatype type;
  struct mpj_cursor dst;
  struct mpj_am_remote remote;
  struct outcome sent, pulled;
};

static void transfer_begin(struct pair *p, struct transfer *t)
{
  t->type = contiguous(BYTES, MPJ_BYTE);
  t->sent = t->pulled = (struct outcome){0, -1};
  const struct mpj_view view = mpj_type_view(object_of(t->type));
  for (int i = 0; i < BYTES; i++)
    t->from[i] = (unsigned char)(i * 7 + i / 255);
  memset(t->to, 0xee, BYTES);
  ck_assert_int_eq(
      mpj_net_expose(p->wire[0].net, &view, t->from, 1, outcome_note, &t->sent, &t->remote),
      MPJ_SUCCESS);
  must(mpj_cursor_begin(&t->dst, &view, t->to));
  ck_assert_int_eq(
      mpj_net_pull(p->wire[1].net, 0, &t->remote, &t->dst, NULL, outcome_note, &t->pulled),
      MPJ_AM_PENDING);
}

static void transfer_end(struct transfer *t)
{
  mpj_cursor_end(&t->dst);
  free_types(1, &t->type);
}

START_TEST(a_stream_ends_when_it_has_ended_at_both_sides_in_any_order)
{
  static struct transfer t;
  for (int receiver_first = 0; receiver_first < 2; receiver_first++) {
    struct pair p;
    pair_open(&p);
    transfer_begin(&p, &t);
    poll_both(&p, 10);
    ck_assert(p.wire[0].given.complete && p.wire[1].taken.complete);
    for (int k = 0; k < 2; k++) {
      ck_assert_int_eq(t.sent.calls, 0);
      ck_assert_int_eq(t.pulled.calls, receiver_first ? k : 0);
      end_at(k == receiver_first ? &p.wire[0].given : &p.wire[1].taken);
      poll_both(&p, 10);
    }
    ck_assert(t.sent.calls == 1 && t.sent.status == MPJ_SUCCESS);
    ck_assert(t.pulled.calls == 1 && t.pulled.status == MPJ_SUCCESS);
    ck_assert_mem_eq(t.from, t.to, BYTES);
    transfer_end(&t);
    pair_close(&p);
  }
}
END_TEST

START_TEST(data_on_its_way_cannot_be_withdrawn)
{
  static struct transfer t;
  struct pair p;
  pair_open(&p);
  transfer_begin(&p, &t);
  poll_both(&p, 10);
  ck_assert_int_eq(mpj_net_withdraw(p.wire[0].net, &t.remote, true), MPJ_AM_PENDING);
  end_at(&p.wire[1].taken);
  end_at(&p.wire[0].given);
  poll_both(&p, 10);
  ck_assert_int_eq(t.sent.calls, 1);
  ck_assert_int_eq(t.pulled.status, MPJ_SUCCESS);
  transfer_end(&t);
  pair_close(&p);
}
END_TEST

START_TEST(a_pull_of_what_was_withdrawn_fails_whether_asked_for_or_not)
{
  static struct transfer t;
  struct outcome again = {0, -1};
  struct pair p;
  pair_open(&p);
  transfer_begin(&p, &t);
  ck_assert_int_eq(mpj_net_withdraw(p.wire[0].net, &t.remote, true), MPJ_SUCCESS);
  poll_both(&p, 10);
  ck_assert(t.pulled.calls == 1 && t.pulled.status == MPJ_ERR_INTERNAL);
  ck_assert_int_eq(mpj_net_pull(p.wire[1].net, 0, &t.remote, &t.dst, NULL, outcome_note, &again),
                   MPJ_ERR_INTERNAL);
  ck_assert_int_eq(t.sent.calls + again.calls, 0);
  ck_assert_int_eq(t.to[0], 0xee);
  transfer_end(&t);
  pair_close(&p);
}
END_TEST

START_TEST(a_stream_of_another_length_or_for_another_pull_is_not_taken)
{
  static struct transfer t;
  struct pair p;
  pair_open(&p);
  transfer_begin(&p, &t);
  struct mpj_far *far = p.wire[1].head.far;
  const struct mpj_pull *pull = far->pulls.pull;
  while (!pull->mover)
    pull++;
  for (int k = 0; k < 4; k++) {
    struct mpj_far_request m = {.exposure = t.remote.id,
                                .pull = (uint64_t)(pull->generation + (k == 1)) << 32 |
                                        (uint64_t)(pull - far->pulls.pull)};
    struct mpj_far_head head = {.kind = MPJ_FAR_DATA, .bytes = sizeof m};
    if (k == 3) m.pull = UINT64_MAX;
    memcpy(head.body, &m, sizeof m);
    ck_assert(!mpj_far_offer(far, k == 2 ? 1 : 0, &head, MPJ_FAR_FIXED + sizeof m, NULL,
                             BYTES + (k == 0)));
  }
  poll_both(&p, 10);
  end_at(&p.wire[0].given);
  end_at(&p.wire[1].taken);
  poll_both(&p, 10);
  ck_assert_int_eq(t.pulled.status, MPJ_SUCCESS);
  ck_assert_mem_eq(t.from, t.to, BYTES);
  transfer_end(&t);
  pair_close(&p);
}
END_TEST

START_TEST(a_lost_connection_ends_the_pull_and_names_the_rank)
{
  static struct transfer t;
  struct pair p;
  int cause = 0;
  pair_open(&p);
  transfer_begin(&p, &t);
  const uint32_t changes = mpj_net_changes(p.wire[1].net);
  mpj_far_lost(p.wire[1].head.far, 0, ECONNRESET);
  while (t.pulled.calls == 0)
    mpj_net_poll(p.wire[1].net);
  ck_assert_int_eq(t.pulled.status, MPJ_ERR_PEER);
  ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "rank 0"));
  ck_assert_int_eq(mpj_net_peer_state(p.wire[1].net, 0, &cause), MPJ_RANK_DEAD);
  ck_assert_int_eq(cause, MPJ_CAUSE_LOST | ECONNRESET);
  ck_assert_uint_ne(mpj_net_changes(p.wire[1].net), changes);
  mpj_far_lost(p.wire[0].head.far, 1, ECONNRESET);
  ck_assert_int_eq(mpj_net_withdraw(p.wire[0].net, &t.remote, true), MPJ_SUCCESS);
  transfer_end(&t);
  pair_close(&p);
}
END_TEST

/* Bytes from a peer that has lost its mind */

static unsigned next(unsigned *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static void send_nonsense(struct mpj_far *far, unsigned *dice)
{
  struct mpj_far_head head;
  unsigned char *raw = (unsigned char *)&head;
  unsigned char payload[64] = {0};
  for (size_t i = 0; i < sizeof head; i++)
    raw[i] = (unsigned char)(next(dice) % 4 ? next(dice) : 0);
  head.kind = (uint8_t)(next(dice) % (MPJ_FAR_KINDS + 3));
  if (head.kind == MPJ_FAR_BYE) head.kind = MPJ_FAR_DATA; /* it may say that it leaves */
  const int source = next(dice) % 4 ? (int)(next(dice) % 4) - 1 : (int)next(dice);
  if (next(dice) % 2) head.bytes = (uint8_t)(next(dice) % 4 * 8);
  size_t bytes = MPJ_FAR_FIXED + head.bytes;
  if (next(dice) % 4 == 0) bytes = next(dice) % (sizeof head + 40);
  if (bytes > sizeof head) bytes = sizeof head;
  const bool with_payload = next(dice) % 3 == 0;
  if (next(dice) % 4 == 0)
    ck_assert(!mpj_far_offer(far, source, &head, bytes, NULL, next(dice) % 100));
  else
    ck_assert(!mpj_far_receive(far, source, &head, bytes, with_payload ? payload : NULL,
                               with_payload ? sizeof payload : 0));
}

START_TEST(bytes_that_make_no_sense_change_nothing_that_matters)
{
  enum { MESSAGES = 20000 };
  static struct transfer t;
  static char text[4096];
  struct pair p;
  struct warnings warnings;
  unsigned dice = 12345;
  pair_open(&p);
  struct mpj_far *far = p.wire[1].head.far;
  warnings_begin(&warnings);
  for (int i = 0; i < MESSAGES; i++) {
    send_nonsense(far, &dice);
    if (i % 8 == 0) poll_both(&p, 4);
    ck_assert(far->active_serves <= far->nserves && far->pulls.active == 0);
    ck_assert(far->peers[0].tokens <= far->tokens && far->peers[0].kept == 0);
  }
  while (p.wire[0].first || p.wire[1].first)
    poll_both(&p, 2);
  warnings_end(&warnings, text, sizeof text);
  ck_assert_ptr_nonnull(strstr(text, "rank 1 dropped a malformed message from another node"));
  ck_assert_int_eq(mpj_net_peer_state(p.wire[1].net, 0, NULL), MPJ_RANK_ACTIVE);
  transfer_begin(&p, &t);
  poll_both(&p, 20);
  end_at(&p.wire[0].given);
  end_at(&p.wire[1].taken);
  poll_both(&p, 20);
  ck_assert_mem_eq(t.from, t.to, BYTES);
  ck_assert_int_eq(t.sent.calls + t.pulled.calls, 2);
  transfer_end(&t);
  pair_close(&p);
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/far", a_stream_ends_when_it_has_ended_at_both_sides_in_any_order,
                   data_on_its_way_cannot_be_withdrawn,
                   a_pull_of_what_was_withdrawn_fails_whether_asked_for_or_not,
                   a_stream_of_another_length_or_for_another_pull_is_not_taken,
                   a_lost_connection_ends_the_pull_and_names_the_rank,
                   bytes_that_make_no_sense_change_nothing_that_matters);
}
