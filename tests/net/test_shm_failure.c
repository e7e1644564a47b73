/* This file tests long data between processes when something goes wrong in the
 * middle: a rank is killed or leaves, the data is withdrawn, memory is missing. */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "base/suite.h"
#include "net/pull/stream_ring.h"
#include "net/ranks.h"

enum { BIG = 20800000, KILLED = SIGKILL }; /* bytes; wait status of a killed process */

/* How the data would move, by the blocks of the two sides. */
struct scene {
  MPJ_Count from_block, to_block;
};
static const struct scene read_scene = {0, 8}, write_scene = {8, 0}, stream_scene = {8, 13};

/* What the receiver, rank 1, holds during a pull. */
struct receiver {
  struct area to;
  struct offers offers;
  struct outcome pulled;
  struct mpj_cursor dst;
};

static void begin_pull(struct mpj_net *net, struct receiver *r, const struct scene *scene)
{
  r->pulled = (struct outcome){0, MPJ_SUCCESS};
  area_make(&r->to, BIG, scene->to_block);
  offers_open(&r->offers, net);
  const struct mpj_am_remote remote = take_offer(net, &r->offers, NULL);
  EXPECT(mpj_cursor_begin(&r->dst, &r->to.view, r->to.memory) == MPJ_SUCCESS);
  EXPECT(mpj_net_pull(net, 0, &remote, &r->dst, NULL, outcome_note, &r->pulled) == MPJ_AM_PENDING);
}

static void end_pull(struct mpj_net *net, struct receiver *r, int status)
{
  await_outcome(net, &r->pulled, 1);
  EXPECT(r->pulled.status == status);
  EXPECT(shm_of(net)->pulls.active == 0);
  area_free(&r->to);
}

static void make_offer(struct mpj_net *net, struct area *from, const struct scene *scene,
                       struct outcome *sent, struct mpj_am_remote *remote)
{
  *sent = (struct outcome){0, -1};
  area_make(from, BIG, scene->from_block);
  offer_to(net, 1, from, sent, remote);
}

/* The owner: poll until some, but not all, of the data has gone. */
static void serve_some(struct mpj_net *net)
{
  const struct mpj_shm *shm = shm_of(net);
  while (shm->nserves == 0 || !shm->serves[0].active || shm->serves[0].cursor.offset == 0)
    mpj_net_poll(net);
  EXPECT(mpj_cursor_remaining(&shm->serves[0].cursor) > 0);
}

/* The source is killed in the middle, or before it has begun (reading needs no
 * help of its own). */
static void kill_source(struct mpj_net *net, struct common *common, void *arg)
{
  const struct scene *scene = arg;
  struct receiver r;
  struct area from;
  struct outcome sent;
  struct mpj_am_remote remote;
  if (net->rank == 0) {
    make_offer(net, &from, scene, &sent, &remote);
    if (scene != &read_scene)
      serve_some(net);
    else
      await_step(net, common, 1, 1);
    kill(getpid(), SIGKILL);
  }
  begin_pull(net, &r, scene);
  atomic_store(&common->step[1], 1);
  if (scene == &read_scene) await_state(net, 0, MPJ_RANK_DEAD);
  end_pull(net, &r, MPJ_ERR_PEER);
}

static void with_each_scene(rank_fn *fn, const int expected[])
{
  const struct scene *const scenes[] = {&read_scene, &write_scene, &stream_scene};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
    run_ranks(2, fn, (void *)(uintptr_t)scenes[i], expected);
}

START_TEST(pull_ends_with_an_error_when_its_source_is_killed)
{
  with_each_scene(kill_source, (const int[]){KILLED, 0});
}
END_TEST

static void kill_receiver(struct mpj_net *net, struct common *common, void *arg)
{
  (void)common;
  const struct scene *scene = arg;
  struct receiver r;
  struct area from;
  struct outcome sent;
  struct mpj_am_remote remote;
  if (net->rank == 1) {
    begin_pull(net, &r, scene);
    for (int i = 0; i < 3; i++)
      mpj_net_poll(net);
    kill(getpid(), SIGKILL);
  }
  make_offer(net, &from, scene, &sent, &remote);
  while (mpj_net_peer_state(net, 1, NULL) != MPJ_RANK_DEAD || mpj_net_poll(net))
    mpj_net_poll(net);
  EXPECT(shm_of(net)->active_serves == 0);
  mpj_net_withdraw(net, &remote, true);
  EXPECT(sent.calls == 0);
  area_free(&from);
}

START_TEST(owner_gets_its_data_back_when_the_receiver_is_killed)
{
  with_each_scene(kill_receiver, (const int[]){0, KILLED});
}
END_TEST

/* The owner withdraws in the middle; the receiver notices. */
static void withdraw_midway(struct mpj_net *net, struct common *common, void *arg)
{
  const struct scene *scene = arg;
  struct receiver r;
  struct area from;
  struct outcome sent;
  struct mpj_am_remote remote;
  if (net->rank == 0) {
    make_offer(net, &from, scene, &sent, &remote);
    if (scene != &read_scene)
      serve_some(net);
    else
      await_step(net, common, 1, 1);
    mpj_net_withdraw(net, &remote, true);
    memset(from.memory, 0, from.extent);
    atomic_store(&common->step[0], 1);
    await_step(net, common, 1, 2);
    while (shm_of(net)->active_serves > 0)
      mpj_net_poll(net);
    EXPECT(sent.calls == 0);
    area_free(&from);
    return;
  }
  begin_pull(net, &r, scene);
  atomic_store(&common->step[1], 1);
  if (scene == &read_scene)
    while (atomic_load(&common->step[0]) < 1)
      usleep(100);
  end_pull(net, &r, MPJ_ERR_INTERNAL);
  atomic_store(&common->step[1], 2);
}

START_TEST(pull_ends_with_an_error_when_its_source_withdraws)
{
  with_each_scene(withdraw_midway, NULL);
}
END_TEST

/* The owner leaves in good order without having served. */
static void leave_early(struct mpj_net *net, struct common *common, void *arg)
{
  const struct scene *scene = arg;
  struct receiver r;
  struct area from;
  struct outcome sent;
  struct mpj_am_remote remote;
  if (net->rank == 0) {
    make_offer(net, &from, scene, &sent, &remote);
    while (atomic_load(&common->step[1]) < 1)
      usleep(100);
    return; /* the endpoint is closed with the exposure open */
  }
  begin_pull(net, &r, scene);
  mpj_net_poll(net); /* asks */
  atomic_store(&common->step[1], 1);
  await_state(net, 0, MPJ_RANK_FINALIZED);
  end_pull(net, &r, MPJ_ERR_INTERNAL); /* closing withdraws */
}

START_TEST(pull_ends_with_an_error_when_its_source_leaves)
{
  with_each_scene(leave_early, NULL);
}
END_TEST

/* The owner serves all, and has left before the receiver looks. */
static void leave_after_serving(struct mpj_net *net, struct common *common, void *arg)
{
  (void)common;
  (void)arg;
  struct area area;
  struct outcome outcome = {0, -1};
  struct mpj_am_remote remote;
  struct offers offers;
  struct inbox inbox;
  struct mpj_cursor dst;
  area_make(&area, 1300, net->rank == 0 ? 13 : 10); /* goes by pieces */
  offers_open(&offers, net);
  if (net->rank == 0) {
    area_fill(&area, 3);
    offer_to(net, 1, &area, &outcome, &remote);
    for (int i = 0; i < 40; i++) /* more than one poll takes */
      EXPECT(mpj_net_short(net, 1, TEST_HANDLER, "between", 7) == MPJ_SUCCESS);
    const struct mpj_stream *ring = mpj_segment_stream(shm_of(net)->cells.segment, 1, 0);
    uint32_t filled = 0;
    while (!mpj_stream_filled(ring, 1, &filled) || filled == 0)
      mpj_net_poll(net);
    return;
  }
  inbox_open(&inbox, net);
  remote = take_offer(net, &offers, NULL);
  EXPECT(mpj_cursor_begin(&dst, &area.view, area.memory) == MPJ_SUCCESS);
  EXPECT(mpj_net_pull(net, 0, &remote, &dst, NULL, outcome_note, &outcome) == MPJ_AM_PENDING);
  EXPECT(mpj_net_poll(net)); /* asks */
  await_state(net, 0, MPJ_RANK_FINALIZED);
  await_outcome(net, &outcome, 1);
  EXPECT(outcome.status == MPJ_SUCCESS);
  EXPECT(area_holds(&area, 3));
  area_free(&area);
}

START_TEST(pull_succeeds_when_its_source_left_after_serving_it)
{
  run_ranks(2, leave_after_serving, NULL, NULL);
}
END_TEST

/* A receiver whose memory, all but the beginning, is not there. */
static void receive_without_memory(struct mpj_net *net, struct common *common, void *arg)
{
  (void)common;
  const struct scene *scene = arg;
  struct area area;
  struct outcome outcome = {0, -1};
  struct mpj_am_remote remote;
  struct offers offers;
  struct mpj_cursor dst;
  area_make(&area, BIG, net->rank == 0 ? scene->from_block : 0);
  offers_open(&offers, net);
  if (net->rank == 0) {
    offer_to(net, 1, &area, &outcome, &remote);
    await_outcome(net, &outcome, 1);
    EXPECT(outcome.status == MPJ_SUCCESS); /* the owner's side is in order */
  } else {
    char *nowhere = mmap(NULL, BIG, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(nowhere != MAP_FAILED);
    memset(&shm_of(net)->streams, 0,
           sizeof shm_of(net)->streams); /* the kernel is to find out, not this process */
    remote = take_offer(net, &offers, NULL);
    EXPECT(mpj_cursor_begin(&dst, &area.view, nowhere) == MPJ_SUCCESS);
    int status = mpj_net_pull(net, 0, &remote, &dst, NULL, outcome_note, &outcome);
    if (status == MPJ_AM_PENDING) {
      await_outcome(net, &outcome, 1);
      status = outcome.status;
    }
    EXPECT(status == MPJ_ERR_ARG);
    EXPECT(strstr(MPJ_Error_detail(), "not all in memory"));
  }
  area_free(&area);
}

START_TEST(pull_to_missing_memory_fails_and_counts_as_taken)
{
  run_ranks(2, receive_without_memory, (void *)(uintptr_t)&read_scene, NULL);
  run_ranks(2, receive_without_memory, (void *)(uintptr_t)&write_scene, NULL);
}
END_TEST

/* The owner says of its ring what cannot be: more pieces than there are, and another generation. */
static void say_nonsense_of_ring(struct mpj_net *net, struct common *common, void *arg)
{
  (void)common;
  (void)arg;
  struct receiver r;
  struct area from;
  struct outcome sent;
  struct mpj_am_remote remote;
  if (net->rank == 1) {
    begin_pull(net, &r, &stream_scene);
    await_outcome(net, &r.pulled, 1);
    EXPECT(area_holds(&r.to, 7));
    end_pull(net, &r, MPJ_SUCCESS);
    return;
  }
  make_offer(net, &from, &stream_scene, &sent, &remote);
  area_fill(&from, 7); /* nothing leaves before this rank polls */
  serve_some(net);
  struct mpj_stream *s = shm_of(net)->serves[0].stream;
  const uint64_t filled = atomic_load(&s->filled);
  atomic_store(&s->filled, filled + 1000);
  usleep(1000);
  atomic_store(&s->filled, filled + (UINT64_C(1) << 32));
  usleep(1000);
  atomic_store(&s->filled, filled);
  await_outcome(net, &sent, 1);
  area_free(&from);
}

START_TEST(nonsense_in_a_ring_is_not_taken)
{
  run_ranks(2, say_nonsense_of_ring, NULL, NULL);
}
END_TEST

/* A rank that sends messages of long data that nobody asked for. */
static void send_strange_messages(struct mpj_net *net, struct common *common, void *arg)
{
  (void)common;
  (void)arg;
  struct inbox inbox;
  inbox_open(&inbox, net);
  if (net->rank == 1) {
    await_messages(net, &inbox, 1);
    for (int i = 0; i < 100; i++)
      mpj_net_poll(net);
    EXPECT(shm_of(net)->active_serves == 0 && shm_of(net)->pulls.active == 0);
    return;
  }
  const struct mpj_shm_request request = {
      .exposure = UINT64_MAX, .pull = 1, .bytes = -1, .way = 77};
  const struct mpj_shm_pushed pushed = {.pull = UINT64_MAX, .outcome = 99};
  for (unsigned i = 0; i < 4; i++) {
    const struct mpj_shm_request strange = {.way = MPJ_WAY_STREAM,
                                            .bytes = i == 0 ? -1 : 8,
                                            .stream = {.offset = i == 1 ? -1 : 0,
                                                       .piece = i == 2 ? UINT32_MAX : 8192,
                                                       .ring = i == 3 ? MPJ_STREAMS : 0}};
    EXPECT(!mpj_net_short(net, 1, MPJ_AM_REQUEST, &strange, sizeof strange));
  }
  for (unsigned cut = 0; cut < 2; cut++) { /* whole, and a byte short */
    EXPECT(!mpj_net_short(net, 1, MPJ_AM_REQUEST, &request, (unsigned)sizeof request - cut));
    EXPECT(!mpj_net_short(net, 1, MPJ_AM_PUSHED, &pushed, (unsigned)sizeof pushed - cut));
  }
  EXPECT(!mpj_net_short(net, 1, TEST_HANDLER, NULL, 0));
  await_state(net, 1, MPJ_RANK_FINALIZED);
}

START_TEST(messages_of_pulls_that_do_not_exist_do_nothing)
{
  run_ranks(2, send_strange_messages, NULL, NULL);
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/shm_failure", pull_ends_with_an_error_when_its_source_is_killed,
                   owner_gets_its_data_back_when_the_receiver_is_killed,
                   pull_ends_with_an_error_when_its_source_withdraws,
                   pull_ends_with_an_error_when_its_source_leaves,
                   pull_succeeds_when_its_source_left_after_serving_it,
                   pull_to_missing_memory_fails_and_counts_as_taken,
                   nonsense_in_a_ring_is_not_taken, messages_of_pulls_that_do_not_exist_do_nothing);
}
