/* This file tests long data that both sides move at once: between threads through
 * any layouts, between processes also when either side dies in the middle. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "base/suite.h"
#include "net/cells/exposure.h"
#include "net/cells/share.h"
#include "net/ranks.h"

enum { BYTES = 1040000, ROUNDS = 40 };

static const struct {
  MPJ_Count from_block, to_block;
} layouts[] = {{0, 0}, {8, 0}, {0, 8}, {13, 8}, {260, 13}};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

struct pair {
  struct mpj_net *net[2];
  struct area from[LAYOUTS], to[LAYOUTS];
  _Atomic unsigned round; /* that the owner has filled its areas for */
  long wrong;
};

/* Rank 1: pull into each layout and compare. */
static void *receive_rounds(void *arg)
{
  struct pair *p = arg;
  struct offers offers;
  offers_open(&offers, p->net[1]);
  for (unsigned k = 0; k < ROUNDS; k++) {
    struct area *to = &p->to[k % LAYOUTS];
    struct outcome pulled = {0, MPJ_SUCCESS};
    struct mpj_cursor dst;
    const struct mpj_am_remote remote = take_offer(p->net[1], &offers, NULL);
    EXPECT(mpj_cursor_begin(&dst, &to->view, to->memory) == MPJ_SUCCESS);
    const int status = mpj_net_pull(p->net[1], 0, &remote, &dst, NULL, outcome_note, &pulled);
    if (status == MPJ_AM_PENDING)
      await_outcome(p->net[1], &pulled, 1);
    else
      pulled.status = status;
    p->wrong += pulled.status != MPJ_SUCCESS || mpj_cursor_remaining(&dst) != 0;
    p->wrong += !area_holds(to, k);
  }
  return NULL;
}

START_TEST(threads_copy_from_both_ends_through_any_layouts)
{
  static struct pair p;
  struct endpoints e;
  pthread_t receiver;
  memset(&p, 0, sizeof p);
  endpoints_open(&e, 2);
  for (int i = 0; i < 2; i++) {
    p.net[i] = e.net[i];
    cells_of_rank(&e, i)->share_least = MPJ_SHARE_LEAST;
  }
  for (int i = 0; i < LAYOUTS; i++) {
    area_make(&p.from[i], BYTES, layouts[i].from_block);
    area_make(&p.to[i], BYTES, layouts[i].to_block);
  }
  ck_assert_int_eq(pthread_create(&receiver, NULL, receive_rounds, &p), 0);
  for (unsigned k = 0; k < ROUNDS; k++) {
    struct outcome sent = {0, -1};
    struct mpj_am_remote remote;
    area_fill(&p.from[k % LAYOUTS], k);
    offer_to(p.net[0], 1, &p.from[k % LAYOUTS], &sent, &remote);
    await_outcome(p.net[0], &sent, 1);
  }
  pthread_join(receiver, NULL);
  ck_assert_int_eq(p.wrong, 0);
  for (int i = 0; i < LAYOUTS; i++) {
    area_free(&p.from[i]);
    area_free(&p.to[i]);
  }
  endpoints_close(&e);
}
END_TEST

/* What a rank of the scenes below holds. */
struct role {
  struct area area;
  struct outcome outcome;
  struct mpj_am_remote remote;
  struct offers offers;
  struct mpj_cursor dst;
};

static void begin(struct role *r, struct mpj_net *net)
{
  ((struct mpj_cells *)net->transport)->share_least = MPJ_SHARE_LEAST;
  memset(&shm_of(net)->streams, 0, sizeof shm_of(net)->streams);
  r->outcome = (struct outcome){0, -1};
  area_make(&r->area, BYTES, 0);
  offers_open(&r->offers, net);
}

static struct mpj_exposure *exposure_of(struct mpj_net *net, int owner,
                                        const struct mpj_am_remote *remote)
{
  return mpj_segment_exposure(shm_of(net)->cells.segment, owner, mpj_exposure_index(remote->id));
}

/* The owner takes a chunk and is killed before it is through. */
static void owner_dies(struct mpj_net *net, struct common *common, void *arg)
{
  (void)arg;
  struct role r;
  struct mpj_share_offer offer;
  uint32_t chunk;
  begin(&r, net);
  if (net->rank == 0) {
    offer_to(net, 1, &r.area, &r.outcome, &r.remote);
    struct mpj_exposure *e = exposure_of(net, 0, &r.remote);
    while (!mpj_share_take_back(e, mpj_exposure_generation(r.remote.id), &chunk, &offer) &&
           mpj_net_peer_state(net, 1, NULL) < MPJ_RANK_FINALIZED)
      ; /* the receiver may be through before there was a chunk to take */
    raise(SIGKILL);
  }
  r.remote = take_offer(net, &r.offers, NULL);
  EXPECT(mpj_cursor_begin(&r.dst, &r.area.view, r.area.memory) == MPJ_SUCCESS);
  int status = mpj_net_pull(net, 0, &r.remote, &r.dst, NULL, outcome_note, &r.outcome);
  if (status == MPJ_AM_PENDING) {
    await_outcome(net, &r.outcome, 1);
    status = r.outcome.status;
  }
  EXPECT(status == MPJ_ERR_PEER || status == MPJ_SUCCESS); /* it may have been through before */
  atomic_store(&common->step[1], 1);
  area_free(&r.area);
}

START_TEST(pull_ends_when_the_owner_is_killed_with_a_chunk_in_hand)
{
  const int expected[] = {SIGKILL, 0};
  for (int i = 0; i < 10; i++)
    run_ranks(2, owner_dies, NULL, expected);
}
END_TEST

/* The receiver offers to share and is killed; the owner helps, and takes its data back. */
static void receiver_dies(struct mpj_net *net, struct common *common, void *arg)
{
  (void)common;
  (void)arg;
  struct role r;
  begin(&r, net);
  if (net->rank == 1) {
    r.remote = take_offer(net, &r.offers, NULL);
    const struct mpj_share_offer offer = {.to = (uint64_t)(uintptr_t)r.area.memory,
                                          .bytes = BYTES,
                                          .chunk = mpj_share_chunk(BYTES),
                                          .rank = 1};
    EXPECT(mpj_share_begin(exposure_of(net, 0, &r.remote), mpj_exposure_generation(r.remote.id),
                           &offer));
    raise(SIGKILL);
  }
  offer_to(net, 1, &r.area, &r.outcome, &r.remote);
  while (mpj_net_peer_state(net, 1, NULL) != MPJ_RANK_DEAD)
    mpj_net_poll(net);
  for (int i = 0; i < 100; i++)
    mpj_net_poll(net);
  mpj_net_withdraw(net, &r.remote, true);
  EXPECT(r.outcome.calls == 0);
  area_free(&r.area);
}

START_TEST(owner_gets_its_data_back_when_the_receiver_is_killed)
{
  const int expected[] = {0, SIGKILL};
  for (int i = 0; i < 10; i++)
    run_ranks(2, receiver_dies, NULL, expected);
}
END_TEST

/* A receiver that comes to pull when the owner has taken its data back offers nothing: what it
 * would write might be read as an offer for what the owner exposes next. */
static void come_too_late(struct mpj_net *net, struct common *common, void *arg)
{
  (void)arg;
  struct role r;
  begin(&r, net);
  if (net->rank == 0) {
    offer_to(net, 1, &r.area, &r.outcome, &r.remote);
    while (atomic_load(&common->step[1]) < 1)
      mpj_net_poll(net);
    mpj_net_withdraw(net, &r.remote, false);
    atomic_store(&common->step[0], 1);
    while (atomic_load(&common->step[1]) < 2)
      mpj_net_poll(net);
    const struct mpj_exposure *e = exposure_of(net, 0, &r.remote);
    EXPECT(!mpj_share_is_open(e) && atomic_load(&e->share_bytes) == 0);
  } else {
    r.remote = take_offer(net, &r.offers, NULL);
    atomic_store(&common->step[1], 1);
    while (atomic_load(&common->step[0]) < 1)
      mpj_net_poll(net);
    EXPECT(mpj_cursor_begin(&r.dst, &r.area.view, r.area.memory) == MPJ_SUCCESS);
    EXPECT(mpj_net_pull(net, 0, &r.remote, &r.dst, NULL, outcome_note, &r.outcome) ==
           MPJ_ERR_INTERNAL);
    atomic_store(&common->step[1], 2);
  }
  area_free(&r.area);
}

START_TEST(who_comes_too_late_offers_nothing)
{
  run_ranks(2, come_too_late, NULL, NULL);
}
END_TEST

/* Offers that a broken receiver makes up. */
static void make_up_offers(struct mpj_net *net, struct common *common, void *arg)
{
  (void)arg;
  static const struct mpj_share_offer odd[] = {
      {.to = 0, .bytes = BYTES, .chunk = 65536, .rank = 1},
      {.to = 4096, .bytes = BYTES * 1000L, .chunk = 65536, .rank = 1},
      {.to = 4096, .bytes = BYTES, .chunk = 65536, .rank = 77},
      {.to = 4096, .bytes = BYTES, .chunk = 65536, .rank = -1},
      {.to = 4096, .bytes = BYTES, .chunk = 65536, .rank = 0}};
  enum { ODD = sizeof odd / sizeof *odd };
  struct role r;
  begin(&r, net);
  if (net->rank == 0) {
    area_fill(&r.area, 7);
    offer_to(net, 1, &r.area, &r.outcome, &r.remote);
    while (atomic_load(&common->step[1]) < ODD)
      mpj_net_poll(net);
    EXPECT(r.outcome.calls == 0 && area_holds(&r.area, 7));
    mpj_net_withdraw(net, &r.remote, true);
  } else {
    r.remote = take_offer(net, &r.offers, NULL);
    struct mpj_exposure *e = exposure_of(net, 0, &r.remote);
    const uint32_t generation = mpj_exposure_generation(r.remote.id);
    for (int i = 0; i < ODD; i++) {
      EXPECT(mpj_share_begin(e, generation, &odd[i]));
      while (mpj_share_is_open(e)) /* until the owner has refused a chunk */
        mpj_net_poll(net);
      while (!mpj_share_cancel(e, generation))
        mpj_net_poll(net);
      atomic_fetch_add(&common->step[1], 1);
    }
  }
  area_free(&r.area);
}

START_TEST(owner_refuses_offers_that_make_no_sense)
{
  run_ranks(2, make_up_offers, NULL, NULL);
}
END_TEST

/* Whether a pull of what the owner offers was offered to it to share. */
static bool pull_is_shared(struct mpj_net *net, struct role *r, struct mpj_pull_how how)
{
  r->remote = take_offer(net, &r->offers, NULL);
  struct mpj_exposure *e = exposure_of(net, 0, &r->remote);
  atomic_store(&e->share_bytes, 0);
  EXPECT(mpj_cursor_begin(&r->dst, &r->area.view, r->area.memory) == MPJ_SUCCESS);
  r->outcome = (struct outcome){0, MPJ_SUCCESS};
  if (mpj_net_pull(net, 0, &r->remote, &r->dst, &how, outcome_note, &r->outcome) == MPJ_AM_PENDING)
    await_outcome(net, &r->outcome, 1);
  EXPECT(r->outcome.status == MPJ_SUCCESS && mpj_cursor_remaining(&r->dst) == 0);
  return atomic_load(&e->share_bytes) != 0;
}

static void pull_in_four_ways(struct mpj_net *net, struct common *common, void *arg)
{
  (void)common;
  (void)arg;
  enum { WAYS = 4, FEW_BYTES = 100000 };
  struct role r;
  struct mpj_am_remote own;
  begin(&r, net);
  area_free(&r.area);
  area_make(&r.area, FEW_BYTES, 0);
  if (net->rank == 0) {
    for (int i = 0; i < WAYS; i++) {
      r.outcome = (struct outcome){0, -1};
      offer_to(net, 1, &r.area, &r.outcome, &r.remote);
      await_outcome(net, &r.outcome, 1);
    }
  } else {
    struct outcome never = {0, -1};
    EXPECT(pull_is_shared(net, &r, (struct mpj_pull_how){0}));
    EXPECT(!pull_is_shared(net, &r, (struct mpj_pull_how){.read_next = true}));
    EXPECT(!pull_is_shared(net, &r, (struct mpj_pull_how){.giver_busy = true}));
    EXPECT(mpj_net_expose(net, &r.area.view, r.area.memory, 1, outcome_note, &never, &own) ==
           MPJ_SUCCESS);
    EXPECT(!pull_is_shared(net, &r, (struct mpj_pull_how){0}));
    mpj_net_withdraw(net, &own, false);
  }
  area_free(&r.area);
}

START_TEST(who_gives_as_well_or_reads_at_once_or_from_a_busy_giver_pulls_alone)
{
  run_ranks(2, pull_in_four_ways, NULL, NULL);
}
END_TEST

struct crowded_case {
  MPJ_Count bytes;
  bool taker_busy, shared;
};
static const struct crowded_case crowded_cases[] = {{(1 << 20) - 8, true, false},
                                                    {1 << 20, true, true},
                                                    {1 << 20, false, false},
                                                    {(1 << 21) - 8, false, false},
                                                    {1 << 21, false, true}};

static void pull_in_a_crowd(struct mpj_net *net, struct common *common, void *arg)
{
  (void)common;
  (void)arg;
  struct mpj_cells *cells = (struct mpj_cells *)net->transport;
  const int64_t share_least = cells->share_least;
  for (size_t i = 0; net->rank < 2 && i < sizeof crowded_cases / sizeof *crowded_cases; i++) {
    const struct crowded_case *c = &crowded_cases[i];
    struct role r;
    begin(&r, net);
    cells->share_least = share_least;
    area_free(&r.area);
    area_make(&r.area, c->bytes, 0);
    if (net->rank == 0) {
      r.outcome = (struct outcome){0, -1};
      offer_to(net, 1, &r.area, &r.outcome, &r.remote);
      await_outcome(net, &r.outcome, 1);
    } else {
      const struct mpj_pull_how how = {.taker_busy = c->taker_busy};
      EXPECT(pull_is_shared(net, &r, how) == c->shared);
    }
    area_free(&r.area);
  }
}

/* Four ranks on one core: an owner helps in its turn, which is the third one from now. */
START_TEST(ranks_that_share_a_core_help_with_much_or_where_one_has_all_to_do)
{
  cpu_set_t all, one;
  ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  for (unsigned i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
  ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
  run_ranks(4, pull_in_a_crowd, NULL, NULL);
  sched_setaffinity(0, sizeof all, &all);
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/two_sided", threads_copy_from_both_ends_through_any_layouts,
                   pull_ends_when_the_owner_is_killed_with_a_chunk_in_hand,
                   owner_gets_its_data_back_when_the_receiver_is_killed,
                   who_comes_too_late_offers_nothing, owner_refuses_offers_that_make_no_sense,
                   who_gives_as_well_or_reads_at_once_or_from_a_busy_giver_pulls_alone,
                   ranks_that_share_a_core_help_with_much_or_where_one_has_all_to_do);
}
