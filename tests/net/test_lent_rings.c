/* This file tests which of its rings a receiver lends to whom. */
#include "base/suite.h"
#include "net/cells/cells_poll.h"
#include "net/ranks.h"

enum { BYTES = 104000, ROUNDS = 4 };

static void give(struct mpj_net *net)
{
  for (int round = 0; round < ROUNDS; round++) {
    struct area from;
    struct outcome sent = {0, -1};
    struct mpj_am_remote remote;
    area_make(&from, BYTES, 8);
    area_fill(&from, (unsigned)net->rank);
    offer_to(net, 0, &from, &sent, &remote);
    await_outcome(net, &sent, 1);
    EXPECT(sent.status == MPJ_SUCCESS);
    area_free(&from);
  }
}

/* Pull from both at once, from `first` first; what comes needs pieces, as neither side is dense. */
static void take(struct mpj_net *net, struct offers *offers, int first)
{
  struct area to[3];
  struct outcome pulled[3] = {{0, -1}};
  struct mpj_am_remote remote[3];
  struct mpj_cursor dst[3];
  for (int k = 0; k < 2; k++) {
    int source;
    const struct mpj_am_remote offer = take_offer(net, offers, &source);
    remote[source] = offer;
  }
  for (int k = 0; k < 2; k++) {
    const int source = k == 0 ? first : 3 - first;
    area_make(&to[source], BYTES, 13);
    EXPECT(mpj_cursor_begin(&dst[source], &to[source].view, to[source].memory) == MPJ_SUCCESS);
    EXPECT(mpj_net_pull(net, source, &remote[source], &dst[source], NULL, outcome_note,
                        &pulled[source]) == MPJ_AM_PENDING);
  }
  for (int source = 1; source < 3; source++) {
    await_outcome(net, &pulled[source], 1);
    EXPECT(pulled[source].status == MPJ_SUCCESS && area_holds(&to[source], (unsigned)source));
    area_free(&to[source]);
  }
}

static void lend(struct mpj_net *net, struct common *common, void *arg)
{
  (void)common;
  (void)arg;
  struct offers offers;
  int had[MPJ_STREAMS];
  offers_open(&offers, net);
  if (net->rank > 0) {
    give(net);
    return;
  }
  for (int round = 0; round < ROUNDS; round++) {
    take(net, &offers, 1 + round % 2);
    if (round == 0) memcpy(had, shm_of(net)->ring_had, sizeof had);
    EXPECT(had[0] + had[1] == 2 + 3); /* both, each a ring */
    EXPECT(memcmp(had, shm_of(net)->ring_had, sizeof had) == 0);
  }
}

START_TEST(a_source_gets_the_ring_again_whose_pages_it_has_met)
{
  run_ranks(3, lend, NULL, NULL);
}
END_TEST

static void ask(struct mpj_net *net, struct area *area)
{
  struct offers offers;
  struct outcome pulled = {0, -1};
  struct mpj_cursor dst;
  int source;
  offers_open(&offers, net);
  const struct mpj_am_remote offer = take_offer(net, &offers, &source);
  area_make(area, BYTES, 13);
  EXPECT(mpj_cursor_begin(&dst, &area->view, area->memory) == MPJ_SUCCESS);
  EXPECT(mpj_net_pull(net, source, &offer, &dst, NULL, outcome_note, &pulled) == MPJ_AM_PENDING);
  await_outcome(net, &pulled, 1);
  EXPECT(pulled.status == MPJ_SUCCESS && area_holds(area, (unsigned)source));
}

static void answer(struct mpj_net *net, struct area *area)
{
  struct mpj_shm *shm = shm_of(net);
  struct outcome sent = {0, -1};
  struct mpj_am_remote remote;
  area_make(area, BYTES, 8);
  area_fill(area, (unsigned)net->rank);
  offer_to(net, 0, area, &sent, &remote);
  while (!mpj_cells_have_mail(&shm->cells))
    ;
  net->asks = true;
  mpj_net_poll(net);
  EXPECT(shm->active_serves == 1 && shm->serves[0].filled == 0 && !net->asks);
  mpj_net_poll(net);
  EXPECT(shm->serves[0].filled > 0);
  await_outcome(net, &sent, 1);
}

static void ask_or_answer(struct mpj_net *net, struct common *common, void *arg)
{
  (void)common;
  (void)arg;
  struct area area;
  if (net->rank == 0)
    ask(net, &area);
  else
    answer(net, &area);
  area_free(&area);
}

START_TEST(a_pull_to_begin_comes_before_pieces_to_fill)
{
  run_ranks(2, ask_or_answer, NULL, NULL);
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/lent rings", a_source_gets_the_ring_again_whose_pages_it_has_met,
                   a_pull_to_begin_comes_before_pieces_to_fill);
}
