/* This file tests exposed data and pulls between threads: who is told what, and
 * what ids of another time are good for. */
#include <mpj/datatype.h>

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/suite.h"
#include "net/cells/exposure.h"
#include "net/endpoints.h"
#include "types/made.h"

enum { BYTES = 6000, ROOM = 10000 };

/* Rank 0's data: BYTES bytes, dense or as blocks of 3 every 5. */
struct offer {
  struct endpoints e;
  unsigned char data[ROOM];
  MPJ_Datatype type;
  struct mpj_view view;
  struct mpj_am_remote remote;
  struct outcome sent;
};

static void offer_open(struct offer *o, int ranks, bool strided)
{
  endpoints_open(&o->e, ranks);
  for (int i = 0; i < ROOM; i++)
    o->data[i] = (unsigned char)(i * 13 + i / 256);
  o->type = strided ? vector(BYTES / 3, 3, 5, MPJ_BYTE) : contiguous(BYTES, MPJ_BYTE);
  o->view = mpj_type_view(object_of(o->type));
  o->sent = (struct outcome){0, -1};
}

static int offer_expose(struct offer *o, unsigned pulls)
{
  return mpj_net_expose(o->e.net[0], &o->view, o->data, pulls, outcome_note, &o->sent, &o->remote);
}

static void offer_close(struct offer *o)
{
  endpoints_close(&o->e);
  free_types(1, &o->type);
}

/* Pull to blocks of 2 every 7 and compare; returns the status of the pull. */
static int pull_and_compare(struct offer *o, int rank, const struct mpj_am_remote *remote,
                            bool from_strided)
{
  unsigned char to[BYTES / 2 * 7];
  MPJ_Datatype type = vector(BYTES / 2, 2, 7, MPJ_BYTE);
  const struct mpj_view view = mpj_type_view(object_of(type));
  struct mpj_cursor dst;
  memset(to, 0xee, sizeof to);
  must(mpj_cursor_begin(&dst, &view, to));
  const int status = mpj_net_pull(o->e.net[rank], 0, remote, &dst, NULL, NULL, NULL);
  for (int i = 0; i < BYTES; i++) {
    const int from = from_strided ? i / 3 * 5 + i % 3 : i;
    ck_assert_uint_eq(to[i / 2 * 7 + i % 2], status == MPJ_SUCCESS ? o->data[from] : 0xee);
  }
  for (size_t i = 0; i < sizeof to; i++)
    if (i % 7 >= 2) ck_assert_uint_eq(to[i], 0xee);
  free_types(1, &type);
  return status;
}

START_TEST(pull_copies_between_the_layouts_and_the_owner_hears_of_it)
{
  for (int strided = 0; strided < 2; strided++) {
    struct offer o;
    offer_open(&o, 2, strided);
    must(offer_expose(&o, 1));
    ck_assert(!mpj_net_poll(o.e.net[0]));
    must(pull_and_compare(&o, 1, &o.remote, strided));
    ck_assert_int_eq(o.sent.calls, 0); /* called from the owner's poll alone */
    ck_assert(mpj_net_poll(o.e.net[0]));
    ck_assert_int_eq(o.sent.calls, 1);
    ck_assert_int_eq(o.sent.status, MPJ_SUCCESS);
    ck_assert(!mpj_net_poll(o.e.net[0]));
    offer_close(&o);
  }
}
END_TEST

START_TEST(address_of_dense_data_alone_travels)
{
  for (int strided = 0; strided < 2; strided++) {
    struct offer o;
    offer_open(&o, 1, strided);
    o.view.displ = 40;
    must(offer_expose(&o, 1));
    ck_assert_uint_eq(o.remote.address, strided ? 0 : (uint64_t)(uintptr_t)(o.data + 40));
    mpj_net_withdraw(o.e.net[0], &o.remote, true);
    offer_close(&o);
  }
}
END_TEST

START_TEST(owner_hears_when_the_last_of_several_has_pulled_or_declined)
{
  struct offer o;
  offer_open(&o, 4, true);
  must(offer_expose(&o, 4));
  must(pull_and_compare(&o, 1, &o.remote, true));
  mpj_net_decline(o.e.net[2], 0, &o.remote);
  must(pull_and_compare(&o, 3, &o.remote, true));
  ck_assert(!mpj_net_poll(o.e.net[0]));
  mpj_net_decline(o.e.net[1], 0, &o.remote);
  ck_assert(mpj_net_poll(o.e.net[0]));
  ck_assert_int_eq(o.sent.calls, 1);
  offer_close(&o);
}
END_TEST

START_TEST(pull_of_what_was_withdrawn_fails_and_nobody_is_told)
{
  struct offer o;
  offer_open(&o, 2, true);
  must(offer_expose(&o, 2));
  must(pull_and_compare(&o, 1, &o.remote, true));
  mpj_net_withdraw(o.e.net[0], &o.remote, true);
  must_fail(pull_and_compare(&o, 1, &o.remote, true), MPJ_ERR_INTERNAL, "withdrew");
  mpj_net_decline(o.e.net[1], 0, &o.remote);
  mpj_net_withdraw(o.e.net[0], &o.remote, true); /* twice does no harm */
  ck_assert(!mpj_net_poll(o.e.net[0]));
  ck_assert_int_eq(o.sent.calls, 0);
  offer_close(&o);
}
END_TEST

START_TEST(old_id_does_not_reach_what_came_after)
{
  struct offer o;
  offer_open(&o, 2, false);
  must(offer_expose(&o, 1));
  const struct mpj_am_remote old = o.remote;
  mpj_net_withdraw(o.e.net[0], &old, true);
  must(offer_expose(&o, 1));
  ck_assert_uint_eq(mpj_exposure_index(o.remote.id), mpj_exposure_index(old.id));
  ck_assert_uint_ne(o.remote.id, old.id);
  must_fail(pull_and_compare(&o, 1, &old, false), MPJ_ERR_INTERNAL, "withdrew");
  mpj_net_decline(o.e.net[1], 0, &old);
  mpj_net_withdraw(o.e.net[0], &old, true);
  ck_assert(!mpj_net_poll(o.e.net[0]));
  must(pull_and_compare(&o, 1, &o.remote, false));
  ck_assert(mpj_net_poll(o.e.net[0]));
  ck_assert_int_eq(o.sent.calls, 1);
  offer_close(&o);
}
END_TEST

START_TEST(hostile_ids_reach_nothing)
{
  struct offer o;
  offer_open(&o, 2, false);
  must(offer_expose(&o, 1));
  const uint64_t ids[] = {MPJ_EXPOSURES,
                          UINT32_MAX,
                          UINT64_MAX,
                          0,
                          7,
                          (uint64_t)1 << 32 | 5,
                          o.remote.id + ((uint64_t)1 << 32),
                          o.remote.id | 0x100,
                          o.remote.id & UINT32_MAX};
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
    const struct mpj_am_remote remote = {ids[i], 0x10};
    ck_assert_int_eq(pull_and_compare(&o, 1, &remote, false), MPJ_ERR_INTERNAL);
    mpj_net_decline(o.e.net[1], 0, &remote);
    mpj_net_withdraw(o.e.net[0], &remote, true);
    ck_assert_ptr_null(mpj_cells_exposed_by_id(cells_of_rank(&o.e, 0), ids[i]));
  }
  ck_assert_ptr_nonnull(mpj_cells_exposed_by_id(cells_of_rank(&o.e, 0), o.remote.id));
  ck_assert(!mpj_net_poll(o.e.net[0]));
  offer_close(&o);
}
END_TEST

START_TEST(pull_of_another_size_writes_nothing_and_counts_as_taken)
{
  struct offer o;
  unsigned char to[100] = {0};
  MPJ_Datatype type = contiguous(100, MPJ_BYTE);
  const struct mpj_view view = mpj_type_view(object_of(type));
  struct mpj_cursor dst;
  offer_open(&o, 2, true);
  must(offer_expose(&o, 1));
  must(mpj_cursor_begin(&dst, &view, to));
  must_fail(mpj_net_pull(o.e.net[1], 0, &o.remote, &dst, NULL, NULL, NULL), MPJ_ERR_SIGNATURE,
            "100");
  for (int i = 0; i < 100; i++)
    ck_assert_uint_eq(to[i], 0);
  ck_assert(mpj_net_poll(o.e.net[0]));
  ck_assert_int_eq(o.sent.calls, 1);
  offer_close(&o);
  free_types(1, &type);
}
END_TEST

START_TEST(more_exposures_than_there_are_wait_for_room)
{
  static struct mpj_am_remote remotes[MPJ_EXPOSURES];
  struct offer o;
  offer_open(&o, 2, false);
  for (int i = 0; i < MPJ_EXPOSURES; i++) {
    must(offer_expose(&o, 1));
    remotes[i] = o.remote;
    for (int k = 0; k < i; k++)
      ck_assert_uint_ne(remotes[k].id, remotes[i].id);
  }
  ck_assert_int_eq(offer_expose(&o, 1), MPJ_AM_AGAIN);
  mpj_net_withdraw(o.e.net[0], &remotes[100], true);
  must(offer_expose(&o, 1));
  ck_assert_int_eq(offer_expose(&o, 1), MPJ_AM_AGAIN);
  for (int i = 0; i < MPJ_EXPOSURES; i += 3)
    mpj_net_decline(o.e.net[1], 0, &remotes[i]);
  ck_assert(mpj_net_poll(o.e.net[0]));
  const int freed = (MPJ_EXPOSURES + 2) / 3;
  ck_assert_int_eq(o.sent.calls, freed);
  for (int i = 0; i < freed; i++)
    must(offer_expose(&o, 1));
  ck_assert_int_eq(offer_expose(&o, 1), MPJ_AM_AGAIN);
  offer_close(&o); /* with all of them open */
}
END_TEST

/* A completion function that offers the data again, three times. */
static void expose_again(void *arg, int status)
{
  struct offer *o = arg;
  o->sent.status = status;
  if (++o->sent.calls < 3)
    must(mpj_net_expose(o->e.net[0], &o->view, o->data, 1, expose_again, o, &o->remote));
}

START_TEST(completion_may_expose_anew)
{
  struct offer o;
  offer_open(&o, 2, false);
  must(mpj_net_expose(o.e.net[0], &o.view, o.data, 1, expose_again, &o, &o.remote));
  for (int i = 1; i <= 3; i++) {
    must(pull_and_compare(&o, 1, &o.remote, false));
    ck_assert(mpj_net_poll(o.e.net[0]));
    ck_assert_int_eq(o.sent.calls, i);
  }
  offer_close(&o);
}
END_TEST

START_TEST(closed_endpoint_has_nothing_left_to_pull)
{
  struct offer o;
  offer_open(&o, 2, true);
  must(offer_expose(&o, 1));
  mpj_net_close(o.e.net[0], MPJ_RANK_FINALIZED, 0);
  o.e.net[0] = NULL;
  must_fail(pull_and_compare(&o, 1, &o.remote, true), MPJ_ERR_INTERNAL, "withdrew");
  ck_assert_int_eq(o.sent.calls, 0);
  offer_close(&o);
}
END_TEST

struct reading {
  struct offer *offer;
  _Atomic bool reads;
  _Atomic int met; /* withdrawals that returned while somebody read */
};

static void *withdraw_while_read(void *arg)
{
  struct reading *r = arg;
  mpj_net_withdraw(r->offer->e.net[0], &r->offer->remote, true);
  r->met += r->reads;
  return NULL;
}

/* Also when another rank has died: it is not the reader. */
START_TEST(withdrawal_waits_for_a_thread_that_reads)
{
  struct offer o;
  struct reading r = {.offer = &o, .reads = true};
  pthread_t thread;
  offer_open(&o, 3, true);
  mpj_net_close(o.e.net[2], MPJ_RANK_DEAD, 0);
  o.e.net[2] = NULL;
  must(offer_expose(&o, 2));
  const unsigned i = mpj_exposure_index(o.remote.id);
  const uint32_t g = mpj_exposure_generation(o.remote.id);
  struct mpj_exposure *e = mpj_segment_exposure(o.e.segment, 0, i);
  ck_assert(mpj_exposure_begin_read(e, g));
  ck_assert_int_eq(pthread_create(&thread, NULL, withdraw_while_read, &r), 0);
  while (atomic_load(&e->word) >> 32 == g) /* until it is closed */
    sched_yield();
  usleep(20000); /* leave a withdrawal that does not wait the time to return */
  r.reads = false;
  mpj_exposure_end_read(e, g, true);
  pthread_join(thread, NULL);
  ck_assert_int_eq(r.met, 0);
  offer_close(&o);
}
END_TEST

enum { ROUNDS = 300 };

static void *pull_rounds(void *arg)
{
  struct offer *o = arg;
  static unsigned char to[BYTES];
  MPJ_Datatype type = contiguous(BYTES, MPJ_BYTE);
  const struct mpj_view view = mpj_type_view(object_of(type));
  long wrong = 0;
  struct inbox inbox;
  inbox_open(&inbox, o->e.net[1]);
  for (unsigned round = 0; round < ROUNDS; round++) {
    struct mpj_am_remote remote;
    struct mpj_cursor dst;
    while (inbox.messages <= round)
      if (!mpj_net_poll(o->e.net[1])) sched_yield();
    memcpy(&remote, inbox.header, sizeof remote);
    wrong += mpj_cursor_begin(&dst, &view, to) != MPJ_SUCCESS;
    wrong += mpj_net_pull(o->e.net[1], 0, &remote, &dst, NULL, NULL, NULL) != MPJ_SUCCESS;
    for (int i = 0; i < BYTES; i++)
      wrong += to[i] != (unsigned char)round;
  }
  free_types(1, &type);
  return wrong ? arg : NULL;
}

START_TEST(thread_pulls_what_another_writes_anew_each_time)
{
  static struct offer o;
  pthread_t thread;
  void *result;
  offer_open(&o, 2, true);
  ck_assert_int_eq(pthread_create(&thread, NULL, pull_rounds, &o), 0);
  for (int round = 0; round < ROUNDS; round++) {
    memset(o.data, round, ROOM);
    must(offer_expose(&o, 1));
    must(mpj_net_short(o.e.net[0], 1, TEST_HANDLER, &o.remote, sizeof o.remote));
    while (o.sent.calls <= round)
      if (!mpj_net_poll(o.e.net[0])) sched_yield();
  }
  pthread_join(thread, &result);
  ck_assert_ptr_null(result);
  offer_close(&o);
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "net/pull", pull_copies_between_the_layouts_and_the_owner_hears_of_it,
      address_of_dense_data_alone_travels,
      owner_hears_when_the_last_of_several_has_pulled_or_declined,
      pull_of_what_was_withdrawn_fails_and_nobody_is_told, old_id_does_not_reach_what_came_after,
      hostile_ids_reach_nothing, pull_of_another_size_writes_nothing_and_counts_as_taken,
      more_exposures_than_there_are_wait_for_room, completion_may_expose_anew,
      closed_endpoint_has_nothing_left_to_pull, withdrawal_waits_for_a_thread_that_reads,
      thread_pulls_what_another_writes_anew_each_time);
}
