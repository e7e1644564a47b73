/* This file states what the simulated machine does with single messages, without collectives. */
#include "base/suite.h"
#include "net/sim/events.h"
#include "net/sim/sim.h"
#include "types/layout/layout_make.h"

#include "base/memory.h"
#include "base/status.h"
#include "types/basic.h"

#include <string.h>

START_TEST(events_come_by_time_then_by_order)
{
  struct mpj_sim_events q = {0};
  uint64_t x = 7;
  for (int i = 0; i < 5000; i++) {
    x = x * 6364136223846793005u + 1;
    ck_assert(mpj_sim_put(&q, (int64_t)(x >> 58), i, 0, NULL));
  }
  int64_t time, before = -1;
  for (int i = 0, last = -1; i < 5000; i++) {
    const struct mpj_sim_event e = mpj_sim_take(&q, &time);
    ck_assert(time > before || (time == before && e.kind > last));
    before = time;
    last = e.kind;
  }
  ck_assert(mpj_sim_is_quiet(&q, INT64_MAX));
  for (int i = 0; i < 4; i++) { /* the same time again, when all of it has been; and known ahead */
    if (i != 1) ck_assert(mpj_sim_put(&q, 4, 1000, i, NULL));
    for (int k = 0; k < 100; k++)
      ck_assert(mpj_sim_put(&q, 5, k, i, NULL));
    if (i == 1) ck_assert(mpj_sim_put(&q, 4, 1000, i, NULL));
    ck_assert_ptr_null(mpj_sim_ahead(&q, 1));
    ck_assert_int_eq(mpj_sim_take(&q, &time).kind, 1000);
    for (int k = 0; k < 100; k++) {
      const struct mpj_sim_event *ahead = mpj_sim_ahead(&q, 7);
      ck_assert(k >= 93 ? !ahead : ahead && ahead->kind == k + 7);
      ck_assert_int_eq(mpj_sim_take(&q, &time).kind, k);
      ck_assert_int_eq(time, 5);
    }
    ck_assert(mpj_sim_is_quiet(&q, INT64_MAX));
  }
  mpj_sim_events_end(&q);
}
END_TEST

START_TEST(torus_goes_the_shorter_way_round_dimension_by_dimension)
{
  struct mpj_sim_machine m = {.kind = MPJ_SIM_TORUS,
                              .ndims = 3,
                              .dims = {4, 5, 6},
                              .ranks = 120,
                              .ranks_per_node = 1,
                              .hop_ps = 10,
                              .link_byte_fs = 1000};
  struct mpj_sim_links links;
  ck_assert_int_eq(mpj_sim_machine_check(&m), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_sim_distance(&m, 0, 119), 3); /* one back in each */
  ck_assert_int_eq(mpj_sim_distance(&m, 0, 2 * 30 + 2 * 6 + 3), 7);
  m.kind = MPJ_SIM_MESH;
  ck_assert_int_eq(mpj_sim_distance(&m, 0, 119), 3 + 4 + 5);
  m.kind = MPJ_SIM_TORUS;
  ck_assert_int_eq(mpj_sim_links_begin(&links, &m), MPJ_SUCCESS);
  for (int64_t to = 0; to < 120; to++)
    ck_assert_int_eq(mpj_sim_route(&links, 7, to, 0, 1000),
                     1000 + 10 * mpj_sim_distance(&m, 7, to));
  ck_assert_int_eq(links.waited_ps, 0);
  /* 100 bytes keep the first link busy for 100 ps: the second message's head waits for it. */
  ck_assert_int_eq(mpj_sim_route(&links, 0, 2, 100, 5000), 5020);
  ck_assert_int_eq(mpj_sim_route(&links, 0, 1, 100, 5001), 5110);
  ck_assert_int_eq(links.waited_ps, 99);
  /* From 30 on over three links, the third from 6020 to 6120. Who comes to that earlier passes if
   * there is time for all of it. */
  ck_assert_int_eq(mpj_sim_route(&links, 30, 33, 100, 6000), 6030);
  ck_assert_int_eq(mpj_sim_route(&links, 32, 33, 5, 6001), 6011);
  ck_assert_int_eq(mpj_sim_route(&links, 32, 33, 14, 6002), 6016); /* from 6006 on */
  ck_assert_int_eq(mpj_sim_route(&links, 32, 33, 1, 6003), 6130);
  ck_assert_int_eq(mpj_sim_route(&links, 32, 33, 1, 6200), 6210);
  mpj_sim_links_end(&links);
}
END_TEST

START_TEST(fat_tree_meets_at_the_lowest_common_switch_without_blocking_a_shift)
{
  const struct mpj_sim_machine m = {.kind = MPJ_SIM_FATTREE,
                                    .ndims = 3,
                                    .dims = {4, 3, 2},
                                    .ranks = 24,
                                    .ranks_per_node = 1,
                                    .hop_ps = 10,
                                    .link_byte_fs = 1000};
  struct mpj_sim_links links;
  ck_assert_int_eq(mpj_sim_distance(&m, 0, 3), 2);
  ck_assert_int_eq(mpj_sim_distance(&m, 0, 4), 4);
  ck_assert_int_eq(mpj_sim_distance(&m, 0, 23), 6);
  ck_assert_int_eq(mpj_sim_links_begin(&links, &m), MPJ_SUCCESS);
  for (int shift = 1; shift < 24; shift++) { /* full bisection: a shift has a way for each */
    for (int64_t i = 0; i < 24; i++) {
      const int64_t to = (i + shift) % 24, at = 100000 * shift;
      ck_assert_int_eq(mpj_sim_route(&links, i, to, 500, at),
                       at + 10 * mpj_sim_distance(&m, i, to));
    }
    ck_assert_int_eq(links.waited_ps, 0);
  }
  mpj_sim_links_end(&links);
}
END_TEST

START_TEST(impossible_machines_are_refused_with_what_is_wrong)
{
  const struct mpj_sim_machine good = {
      .kind = MPJ_SIM_TORUS, .ndims = 2, .dims = {3, 3}, .ranks = 9, .ranks_per_node = 1};
  struct mpj_sim_machine m = good;
  struct mpj_sim *sim;
  m.ranks = 10;
  ck_assert_int_eq(mpj_sim_create(&m, 1, &sim), MPJ_ERR_ARG);
  ck_assert(strstr(MPJ_Error_detail(), "10 ranks do not fit 9 nodes of 1 ranks each"));
  m = good;
  m.dims[1] = 0;
  ck_assert_int_eq(mpj_sim_create(&m, 1, &sim), MPJ_ERR_ARG);
  ck_assert(strstr(MPJ_Error_detail(), "dimension 1 is 0"));
  m = good;
  m.o_ps = -1;
  ck_assert_int_eq(mpj_sim_create(&m, 1, &sim), MPJ_ERR_ARG);
  ck_assert(strstr(MPJ_Error_detail(), "o is -1"));
  m = good;
  m.ndims = 9;
  ck_assert_int_eq(mpj_sim_create(&m, 1, &sim), MPJ_ERR_ARG);
}
END_TEST

/* Two ranks, with a handler that notes what has come. */
struct pair {
  struct mpj_sim *sim;
  struct mpj_net *net[2];
  int64_t came_at[64];
  int from, n;
};

static enum mpj_am_verdict note(void *ctx, const struct mpj_am_arrival *a, struct mpj_am_dest *dest)
{
  struct pair *p = ctx;
  (void)dest;
  p->from = a->source;
  p->came_at[p->n++] = mpj_sim_time(p->sim, 1);
  return MPJ_AM_DONE;
}

static void begin(struct pair *p, struct mpj_sim_machine m)
{
  *p = (struct pair){0};
  m.ranks = 2;
  m.ranks_per_node = m.ranks_per_node ? m.ranks_per_node : 1;
  ck_assert_int_eq(mpj_sim_create(&m, 1, &p->sim), MPJ_SUCCESS);
  for (int i = 0; i < 2; i++)
    ck_assert_int_eq(mpj_sim_open(p->sim, i, 8192, &p->net[i]), MPJ_SUCCESS);
  mpj_net_register(p->net[1], MPJ_AM_COLLECTIVE, note, p);
}

static void settle(struct pair *p)
{
  struct mpj_sim_news news;
  while (mpj_sim_next(p->sim, &news))
    mpj_net_poll(p->net[news.rank]);
}

static void end(struct pair *p)
{
  for (int i = 0; i < 2; i++)
    mpj_net_close(p->net[i], MPJ_RANK_FINALIZED, 0);
  mpj_sim_free(p->sim);
}

static const struct mpj_sim_machine loggp = {.o_ps = 100,
                                             .g_ps = 30,
                                             .latency_ps = 1000,
                                             .byte_fs = 2000,
                                             .node_latency_ps = 50,
                                             .node_byte_fs = 1000,
                                             .notice_ps = 500};

START_TEST(message_takes_o_L_G_and_o)
{
  struct pair p;
  char data[21] = {0};
  begin(&p, loggp);
  mpj_sim_enter(p.sim, 0, 0);
  mpj_sim_enter(p.sim, 1, 0);
  for (int i = 0; i < 3; i++)
    ck_assert_int_eq(mpj_net_short(p.net[0], 1, MPJ_AM_COLLECTIVE, data, sizeof data), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_sim_time(p.sim, 0), 300);
  settle(&p);
  ck_assert_int_eq(p.n, 3);
  for (int i = 0; i < 3; i++) /* the core sends every 100 ps; the port is free after 20 * 2 + 30 */
    ck_assert_int_eq(p.came_at[i], 100 + 100 * i + 20 * 2 + 1000 + 100);
  end(&p);
  struct mpj_sim_machine busy = loggp;
  busy.g_ps = 200; /* now the port is the slower one */
  begin(&p, busy);
  mpj_sim_enter(p.sim, 0, 0);
  mpj_sim_enter(p.sim, 1, 0);
  for (int i = 0; i < 3; i++)
    mpj_net_short(p.net[0], 1, MPJ_AM_COLLECTIVE, data, sizeof data);
  settle(&p);
  for (int i = 0; i < 3; i++)
    ck_assert_int_eq(p.came_at[i], 100 + 240 * i + 40 + 1000 + 100);
  end(&p);
  struct mpj_sim_machine beside = loggp;
  beside.ranks_per_node = 2;
  begin(&p, beside);
  mpj_sim_enter(p.sim, 0, 0);
  mpj_sim_enter(p.sim, 1, 0);
  mpj_net_short(p.net[0], 1, MPJ_AM_COLLECTIVE, data, sizeof data);
  settle(&p);
  ck_assert_int_eq(p.came_at[0], 100 + 20 + 50 + 100);
  end(&p);
}
END_TEST

START_TEST(what_comes_while_a_rank_is_away_waits_for_its_next_call)
{
  struct pair p;
  begin(&p, loggp);
  mpj_sim_enter(p.sim, 0, 0);
  mpj_net_short(p.net[0], 1, MPJ_AM_COLLECTIVE, "x", 1);
  settle(&p);
  ck_assert_int_eq(p.n, 0);
  ck_assert(mpj_sim_waits(p.sim, 1));
  mpj_sim_enter(p.sim, 1, 70000);
  mpj_net_poll(p.net[1]);
  ck_assert_int_eq(p.n, 1);
  ck_assert_int_eq(p.came_at[0], 70100);
  end(&p);
}
END_TEST

/* Long data */

static int status_of[2], calls_of[2];

static void ended(void *arg, int status)
{
  const int i = *(const int *)arg;
  status_of[i] = status;
  calls_of[i]++;
}

static int pull(struct pair *p, const struct mpj_am_remote *remote, struct mpj_cursor *dst,
                int *who)
{
  return mpj_net_pull(p->net[1], 0, remote, dst, NULL, ended, who);
}

START_TEST(pull_brings_the_data_and_lets_both_know_once)
{
  struct pair p;
  char from[500], to[500] = {0};
  int owner = 0, puller = 1;
  struct mpj_am_remote remote;
  struct mpj_cursor dst;
  struct mpj_piece piece;
  for (int i = 0; i < 500; i++)
    from[i] = (char)i;
  ck_assert_int_eq(mpj_layout_run(mpj_basic_of_handle(MPJ_BYTE), 500, &piece), MPJ_SUCCESS);
  const struct mpj_view view = {.layout = piece.layout, .count = 1};
  struct mpj_sim_machine slow = loggp;
  slow.notice_ps = 5000;
  for (int withdraws = 0; withdraws < 3; withdraws++) {
    begin(&p, withdraws == 2 ? slow : loggp);
    memset(to, 0, sizeof to);
    memset(calls_of, 0, sizeof calls_of);
    mpj_sim_enter(p.sim, 0, 0);
    mpj_sim_enter(p.sim, 1, 0);
    ck_assert_int_eq(mpj_net_expose(p.net[0], &view, from, 1, ended, &owner, &remote), MPJ_SUCCESS);
    ck_assert_int_eq(mpj_cursor_begin(&dst, &view, to), MPJ_SUCCESS);
    if (withdraws == 1) mpj_net_withdraw(p.net[0], &remote, true);
    ck_assert_int_eq(pull(&p, &remote, &dst, &puller), MPJ_AM_PENDING);
    if (withdraws == 2) mpj_sim_kill(p.sim, 0, 9);
    settle(&p);
    ck_assert_int_eq(calls_of[1], 1);
    if (withdraws == 0) {
      ck_assert_int_eq(status_of[1], MPJ_SUCCESS);
      ck_assert_int_eq(memcmp(from, to, sizeof to), 0);
      ck_assert_int_eq(calls_of[0], 1);
      /* o, 31 bytes, L; 499 bytes, L, o */
      ck_assert_int_eq(mpj_sim_time(p.sim, 1), 100 + 62 + 1000 + 998 + 1000 + 100);
    } else {
      ck_assert_int_eq(status_of[1], withdraws == 1 ? MPJ_ERR_INTERNAL : MPJ_ERR_PEER);
      ck_assert_int_eq(calls_of[0], 0);
      if (withdraws == 2) ck_assert_int_eq(mpj_sim_time(p.sim, 1), 5000 + 100); /* the notice, o */
    }
    end(&p);
  }
  mpj_layout_release(piece.layout);
}
END_TEST

START_TEST(pull_ends_whether_it_is_begun_before_the_machine_stops_or_after)
{
  struct pair p;
  char from[500] = {0}, to[500];
  int owner = 0, puller = 1;
  struct mpj_am_remote remote;
  struct mpj_cursor dst;
  struct mpj_piece piece;
  ck_assert_int_eq(mpj_layout_run(mpj_basic_of_handle(MPJ_BYTE), 500, &piece), MPJ_SUCCESS);
  const struct mpj_view view = {.layout = piece.layout, .count = 1};
  for (int stopped = 0; stopped < 2; stopped++) {
    begin(&p, loggp);
    memset(calls_of, 0, sizeof calls_of);
    mpj_sim_enter(p.sim, 0, 0);
    mpj_sim_enter(p.sim, 1, 0);
    ck_assert_int_eq(mpj_net_expose(p.net[0], &view, from, 1, ended, &owner, &remote), MPJ_SUCCESS);
    ck_assert_int_eq(mpj_cursor_begin(&dst, &view, to), MPJ_SUCCESS);
    if (stopped) mpj_sim_stop(p.sim);
    const int status = pull(&p, &remote, &dst, &puller);
    if (!stopped) mpj_sim_stop(p.sim);
    settle(&p);
    mpj_net_poll(p.net[1]);
    ck_assert_int_eq(status, stopped ? MPJ_ERR_PEER : MPJ_AM_PENDING);
    ck_assert_int_eq(calls_of[1], !stopped);
    if (!stopped) ck_assert_int_eq(status_of[1], MPJ_ERR_PEER);
    end(&p);
  }
  mpj_layout_release(piece.layout);
}
END_TEST

/* Virtual data is copied to memory of the library's to be offered from there, and the offer fails.
 * Real data that is offered from the same memory afterwards is what it is. */
START_TEST(virtual_data_whose_offer_failed_is_not_taken_for_what_is_offered_next)
{
  struct pair p;
  char parked[500] = {0}, elsewhere[500], to[500];
  int owner = 0, puller = 1;
  struct mpj_am_remote remote;
  struct mpj_cursor cursor;
  struct mpj_piece piece;
  ck_assert_int_eq(mpj_layout_run(mpj_basic_of_handle(MPJ_BYTE), 500, &piece), MPJ_SUCCESS);
  const struct mpj_view view = {.layout = piece.layout, .count = 1};
  for (int how = 0; how < 3; how++) {
    begin(&p, loggp);
    memset(calls_of, 0, sizeof calls_of);
    memset(to, 0, sizeof to);
    mpj_sim_enter(p.sim, 0, 0);
    mpj_sim_enter(p.sim, 1, 0);
    struct mpj_sim_virtual *v = mpj_sim_virtual(p.sim);
    ck_assert_int_eq(mpj_sim_virtual_begin(v, 2, 500), MPJ_SUCCESS);
    ck_assert_int_eq(mpj_sim_virtual_fill(v, 0, 0, 500), MPJ_SUCCESS);
    ck_assert_int_eq(mpj_cursor_begin(&cursor, &view, mpj_sim_virtual_buffer(v, 0)), MPJ_SUCCESS);
    ck_assert_int_eq(p.net[0]->pack(p.net[0], &cursor, parked, 500), MPJ_SUCCESS);
    mpj_cursor_end(&cursor);
    if (how == 0) { /* the offer itself */
      mpj_memory_fail_after(0);
      ck_assert_int_eq(mpj_net_expose(p.net[0], &view, parked, 1, ended, &owner, &remote),
                       MPJ_ERR_NO_MEM);
      mpj_memory_fail_after(-1);
    } else if (how == 1) { /* something before it, and another offer came */
      ck_assert_int_eq(mpj_net_expose(p.net[0], &view, elsewhere, 1, ended, &owner, &remote),
                       MPJ_SUCCESS);
      mpj_net_withdraw(p.net[0], &remote, false);
    } else { /* other data is copied there */
      ck_assert_int_eq(mpj_cursor_begin(&cursor, &view, to), MPJ_SUCCESS);
      ck_assert_int_eq(p.net[0]->pack(p.net[0], &cursor, parked, 500), MPJ_SUCCESS);
      mpj_cursor_end(&cursor);
    }
    for (int i = 0; i < 500; i++)
      parked[i] = (char)i;
    ck_assert_int_eq(mpj_net_expose(p.net[0], &view, parked, 1, ended, &owner, &remote),
                     MPJ_SUCCESS);
    ck_assert_int_eq(mpj_cursor_begin(&cursor, &view, to), MPJ_SUCCESS);
    ck_assert_int_eq(pull(&p, &remote, &cursor, &puller), MPJ_AM_PENDING);
    settle(&p);
    ck_assert_int_eq(status_of[1], MPJ_SUCCESS);
    ck_assert_int_eq(memcmp(parked, to, sizeof to), 0);
    end(&p);
  }
  mpj_layout_release(piece.layout);
}
END_TEST

START_TEST(death_is_noticed_later_and_its_messages_are_dropped)
{
  struct pair p;
  struct mpj_sim_news news;
  begin(&p, loggp);
  mpj_sim_enter(p.sim, 0, 0);
  mpj_sim_enter(p.sim, 1, 0);
  const uint32_t before = mpj_net_changes(p.net[0]);
  int cause = 0;
  mpj_sim_kill(p.sim, 1, 9);
  ck_assert_uint_eq(mpj_net_changes(p.net[0]), before);
  ck_assert_int_eq(mpj_net_peer_state(p.net[0], 1, &cause), MPJ_RANK_ACTIVE);
  mpj_net_short(p.net[0], 1, MPJ_AM_COLLECTIVE, "x", 1);
  ck_assert(mpj_sim_next(p.sim, &news));
  ck_assert(news.what == MPJ_SIM_NEWS && news.rank == 0 && news.time == 500);
  ck_assert_uint_ne(mpj_net_changes(p.net[0]), before);
  ck_assert_int_eq(mpj_net_peer_state(p.net[0], 1, &cause), MPJ_RANK_DEAD);
  ck_assert_int_eq(cause, 9);
  ck_assert(!mpj_sim_next(p.sim, &news));
  ck_assert_int_eq(p.n, 0);
  end(&p);
}
END_TEST

int main(void)
{
  return RUN_SUITE("sim", events_come_by_time_then_by_order,
                   torus_goes_the_shorter_way_round_dimension_by_dimension,
                   fat_tree_meets_at_the_lowest_common_switch_without_blocking_a_shift,
                   impossible_machines_are_refused_with_what_is_wrong, message_takes_o_L_G_and_o,
                   what_comes_while_a_rank_is_away_waits_for_its_next_call,
                   pull_brings_the_data_and_lets_both_know_once,
                   pull_ends_whether_it_is_begun_before_the_machine_stops_or_after,
                   virtual_data_whose_offer_failed_is_not_taken_for_what_is_offered_next,
                   death_is_noticed_later_and_its_messages_are_dropped);
}
