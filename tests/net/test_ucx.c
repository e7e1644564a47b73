/* This file tests long data over UCX between processes of one machine: streams of any
 * length from layout to layout, several at a time, and what becomes of one whose other
 * side dies in the middle. */
#include <mpj/mpj.h>

#include <signal.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/suite.h"
#include "net/boot/join.h"
#include "net/ranks.h"

/* Around the length of a piece (ucx/pieces.c), and of several. */
enum { PIECE = 252 << 10, AT_ONCE = 4, LONG = 48 << 20 };

static const struct {
  MPJ_Count bytes, from_block, to_block;
} streams[] = {{1, 0, 0},
               {70000, 7, 0},
               {PIECE - 1, 0, 0},
               {PIECE, 0, 8},
               {PIECE + 1, 0, 0},
               {2 * PIECE, 12, 0},
               {2 * PIECE + 5, 0, 0},
               {3000000, 8, 24},
               {3000000, 0, 1000},
               {5 * PIECE, 5 * PIECE / 3, 64},
               {3000000, 1000, 3}};
enum { STREAMS = sizeof streams / sizeof *streams };

/* Who has no UCX, or no network, has nothing to test. */
static struct mpj_net *over_network(struct mpj_net *local)
{
  struct mpj_net *net;
  setenv("MPJ_TRANSPORT", "ucx", 1);
  const int status = mpj_boot_join_over_network(local, &net);
  if (status == MPJ_ERR_UNSUPPORTED) _exit(0);
  EXPECT(status == MPJ_SUCCESS);
  return net;
}

static void begin_pull(struct mpj_net *net, struct offers *offers, struct area *to,
                       struct mpj_cursor *dst, struct outcome *pulled)
{
  const struct mpj_am_remote remote = take_offer(net, offers, NULL);
  *pulled = (struct outcome){0, -1};
  EXPECT(mpj_cursor_begin(dst, &to->view, to->memory) == MPJ_SUCCESS);
  EXPECT(mpj_net_pull(net, 0, &remote, dst, NULL, outcome_note, pulled) == MPJ_AM_PENDING);
}

/* Stream i of each batch of AT_ONCE. */
static void own(struct mpj_net *net, int batch)
{
  struct area from[AT_ONCE];
  struct outcome sent[AT_ONCE];
  struct mpj_am_remote remote;
  for (int i = 0; i < AT_ONCE; i++) {
    const int s = (batch + i) % STREAMS;
    sent[i] = (struct outcome){0, -1};
    area_make(&from[i], streams[s].bytes, streams[s].from_block);
    area_fill(&from[i], (unsigned)(batch * AT_ONCE + i));
    offer_to(net, 1, &from[i], &sent[i], &remote);
  }
  for (int i = 0; i < AT_ONCE; i++) {
    await_outcome(net, &sent[i], 1);
    EXPECT(sent[i].status == MPJ_SUCCESS);
    area_free(&from[i]);
  }
}

static void receive(struct mpj_net *net, struct offers *offers, int batch)
{
  struct area to[AT_ONCE];
  struct mpj_cursor dst[AT_ONCE];
  struct outcome pulled[AT_ONCE];
  for (int i = 0; i < AT_ONCE; i++) {
    const int s = (batch + i) % STREAMS;
    area_make(&to[i], streams[s].bytes, streams[s].to_block);
    begin_pull(net, offers, &to[i], &dst[i], &pulled[i]);
  }
  for (int i = 0; i < AT_ONCE; i++) {
    await_outcome(net, &pulled[i], 1);
    EXPECT(pulled[i].status == MPJ_SUCCESS);
    EXPECT(mpj_cursor_remaining(&dst[i]) == 0);
    EXPECT(area_holds(&to[i], (unsigned)(batch * AT_ONCE + i)));
    area_free(&to[i]);
  }
}

static void exchange(struct mpj_net *local, struct common *common, void *arg)
{
  struct mpj_net *net = over_network(local);
  struct offers offers;
  (void)common, (void)arg;
  offers_open(&offers, net);
  for (int batch = 0; batch < STREAMS; batch++)
    if (net->rank == 0)
      own(net, batch);
    else
      receive(net, &offers, batch);
  mpj_net_close(net, MPJ_RANK_FINALIZED, 0);
  _exit(0);
}

START_TEST(streams_of_any_length_go_from_layout_to_layout)
{
  run_ranks(2, exchange, NULL, NULL);
}
END_TEST

/* Whoever `dies` is killed after some polls of a stream that has begun. */
struct death {
  int dies, polls;
};

static void poll_and_die(struct mpj_net *net, const struct death *death)
{
  for (int i = 0; i < death->polls; i++)
    mpj_net_poll(net);
  raise(SIGKILL);
}

static void own_to_the_end(struct mpj_net *net, const struct death *death)
{
  struct area from;
  struct outcome sent = {0, -1};
  struct mpj_am_remote remote;
  area_make(&from, LONG, 0);
  offer_to(net, 1, &from, &sent, &remote);
  if (death->dies == 0) poll_and_die(net, death);
  while (sent.calls == 0 && mpj_net_peer_state(net, 1, NULL) != MPJ_RANK_DEAD)
    mpj_net_poll(net);
  if (sent.calls == 0 && mpj_net_withdraw(net, &remote, true) == MPJ_AM_PENDING)
    await_outcome(net, &sent, 1);
  area_free(&from);
}

static void receive_to_the_end(struct mpj_net *net, const struct death *death)
{
  struct offers offers;
  struct area to;
  struct mpj_cursor dst;
  struct outcome pulled;
  offers_open(&offers, net);
  area_make(&to, LONG, 0);
  begin_pull(net, &offers, &to, &dst, &pulled);
  if (death->dies == 1) poll_and_die(net, death);
  await_outcome(net, &pulled, 1);
  /* After many polls of a rank that had the processor for itself, all may have come. */
  EXPECT(pulled.status == MPJ_ERR_PEER ||
         (death->polls >= 60 && pulled.status == MPJ_SUCCESS && mpj_cursor_remaining(&dst) == 0));
  area_free(&to);
}

static void lose_the_other(struct mpj_net *local, struct common *common, void *arg)
{
  const struct death *death = arg;
  struct mpj_net *net = over_network(local);
  const int other = 1 - net->rank;
  const long outstanding = mpj_memory_outstanding();
  (void)common;
  if (net->rank == 0)
    own_to_the_end(net, death);
  else
    receive_to_the_end(net, death);
  while (mpj_net_peer_state(net, other, NULL) != MPJ_RANK_DEAD)
    mpj_net_poll(net);
  EXPECT(net->rank == 1 || mpj_memory_outstanding() == outstanding);
  mpj_net_close(net, MPJ_RANK_FINALIZED, 0);
  _exit(0);
}

START_TEST(a_stream_whose_other_side_dies_ends)
{
  static const int polls[] = {1, 20, 60, 200};
  for (unsigned i = 0; i < 8; i++) {
    struct death death = {.dies = (int)i % 2, .polls = polls[i / 2]};
    int expected[2] = {0, 0};
    expected[death.dies] = SIGKILL;
    run_ranks(2, lose_the_other, &death, expected);
  }
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/ucx", streams_of_any_length_go_from_layout_to_layout,
                   a_stream_whose_other_side_dies_ends);
}
