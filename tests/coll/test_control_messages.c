/* This file tests the words of control windows told by messages, as if the ranks had no memory in
 * common but each its own. */
#include <string.h>

#include "base/suite.h"
#include "coll/control_windows.h"

static unsigned char *own_memory(struct mpj_transport *t, int rank, unsigned extent)
{
  struct mpj_cells *cells = (struct mpj_cells *)t;
  return rank == cells->rank ? mpj_cells_common(t, rank, extent) : NULL;
}

static struct mpj_transport_ops apart;

static void windows_open_apart(struct windows *w, int n)
{
  endpoints_open(&w->e, n);
  apart = *w->e.net[0]->transport->ops;
  apart.common = own_memory;
  for (int rank = 0; rank < n; rank++) {
    w->e.net[rank]->transport->ops = &apart;
    w->e.net[rank]->shares_all = false;
    mpj_control_begin(&w->of[rank], w->e.net[rank], NULL, NULL);
  }
}

/* Until nobody has anything more to say. */
static void exchange(struct windows *w)
{
  for (bool moved = true; moved;) {
    moved = false;
    for (int rank = 0; rank < w->e.n; rank++)
      moved |= mpj_net_poll(w->e.net[rank]);
  }
}

START_TEST(signals_come_by_messages)
{
  struct windows w;
  unsigned set = 0;
  windows_open_apart(&w, 3);
  for (unsigned bit = 0; bit < MPJ_BITS_MAX; bit += 5, set++) {
    const unsigned number = bit % 2 == 0 ? bit : MPJ_CONTROLS + bit;
    const unsigned slot = bit % mpj_control_slots(number);
    ck_assert_int_eq(mpj_control_signal(&w.of[2], 1, number, slot, bit), MPJ_SUCCESS);
    exchange(&w);
    ck_assert(is_set(&mpj_control_window(&w.of[1], number)->slot[slot].arrived, bit));
  }
  ck_assert_uint_eq(count_bits(&w.of[0]) + count_bits(&w.of[2]), 0);
  windows_close(&w);
}
END_TEST

START_TEST(a_signal_that_finds_no_room_says_so_and_comes_later)
{
  struct windows w;
  unsigned sent = 0;
  windows_open_apart(&w, 2);
  while (mpj_control_signal(&w.of[0], 1, 2, 5, sent) == MPJ_SUCCESS)
    sent++;
  ck_assert_uint_eq(sent, MPJ_RING_CELLS);
  exchange(&w);
  ck_assert_uint_eq(count_bits(&w.of[1]), sent);
  ck_assert_int_eq(mpj_control_signal(&w.of[0], 1, 2, 5, sent), MPJ_SUCCESS);
  exchange(&w);
  ck_assert_uint_eq(count_bits(&w.of[1]), sent + 1);
  windows_close(&w);
}
END_TEST

/* Asked once, a rank tells at once what is new, and then of every quarter of a window. */
START_TEST(progress_is_told_to_whoever_has_asked)
{
  struct windows w;
  windows_open_apart(&w, 3);
  publish(&w, 1, 3, 5);
  ck_assert_uint_eq(mpj_control_done(&w.of[0], 1, 3), 0);
  exchange(&w);
  ck_assert_uint_eq(mpj_control_done(&w.of[0], 1, 3), 5); /* and asks again */
  exchange(&w);
  publish(&w, 1, 3, 6);
  exchange(&w);
  ck_assert_uint_eq(mpj_control_done(&w.of[0], 1, 3), 6);
  exchange(&w);
  publish(&w, 1, 3, 7);
  exchange(&w);
  publish(&w, 1, 3, 7 + MPJ_WINDOW / 4); /* told, and nobody has asked since */
  exchange(&w);
  ck_assert_uint_eq(mpj_control_done(&w.of[0], 1, 3), 7 + MPJ_WINDOW / 4);
  exchange(&w);
  publish(&w, 1, 3, UINT64_MAX - 1);
  exchange(&w);
  ck_assert_uint_eq(mpj_control_done(&w.of[0], 1, 3), UINT64_MAX - 1);
  ck_assert_uint_eq(mpj_control_done(&w.of[2], 1, 3), 0); /* it has not asked yet */
  ck_assert_uint_eq(mpj_control_done(&w.of[0], 1, 4), 0);
  ck_assert_uint_eq(mpj_control_done(&w.of[0], 2, 3), 0);
  exchange(&w);
  windows_close(&w);
}
END_TEST

/* Of many windows, those alone that somebody waits for are looked at, whatever has happened. */
START_TEST(windows_that_nobody_waits_for_are_no_news)
{
  enum { MANY = 500 };
  struct windows w;
  windows_open_apart(&w, 3);
  for (unsigned number = 3; number < MANY; number++) {
    publish(&w, 1, number, 1);
    ck_assert_ptr_null(w.of[1].news);
  }
  ck_assert_uint_eq(mpj_control_done(&w.of[0], 1, 7), 0);
  ck_assert_uint_eq(mpj_control_done(&w.of[2], 1, 7), 0);
  ck_assert_uint_eq(mpj_control_done(&w.of[2], 1, 400), 0);
  exchange(&w);
  ck_assert_uint_eq(mpj_control_done(&w.of[0], 1, 7), 1);
  ck_assert_uint_eq(mpj_control_done(&w.of[2], 1, 7), 1);
  ck_assert_uint_eq(mpj_control_done(&w.of[2], 1, 400), 1);
  exchange(&w);
  ck_assert_ptr_null(w.of[1].news);
  publish(&w, 1, 8, 2);
  ck_assert_ptr_null(w.of[1].news);
  publish(&w, 1, 400, 2);
  ck_assert_ptr_nonnull(w.of[1].news);
  exchange(&w);
  ck_assert_uint_eq(mpj_control_done(&w.of[2], 1, 400), 2);
  ck_assert_uint_eq(mpj_control_done(&w.of[2], 1, 7), 1);
  windows_close(&w);
}
END_TEST

/* A rank takes in what is said of its own windows, and of no others. */
START_TEST(signals_to_windows_that_a_rank_never_had_are_dropped)
{
  struct windows w;
  struct warnings kept;
  char text[200];
  windows_open_apart(&w, 2);
  w.of[1].common = NULL; /* its windows are its own affair */
  for (unsigned i = 0; i < FURTHER; i++) {
    warnings_begin(&kept);
    ck_assert_int_eq(mpj_control_signal(&w.of[0], 1, further[i], 1, 5), MPJ_SUCCESS);
    exchange(&w);
    warnings_end(&kept, text, sizeof text);
    ck_assert_msg(strstr(text, "rank 1 dropped a malformed message"), "%u: %s", i, text);
    const struct mpj_control_window *window = mpj_control_window(&w.of[1], further[i]);
    ck_assert_int_eq(mpj_control_signal(&w.of[0], 1, further[i], 1, 5), MPJ_SUCCESS);
    exchange(&w);
    ck_assert(is_set(&window->slot[1].arrived, 5));
  }
  windows_close(&w);
}
END_TEST

START_TEST(a_home_counts_for_those_who_come_by_messages)
{
  struct windows w;
  const uint64_t term = UINT64_C(0x123456789ab) << MPJ_MEET_BITS | 1;
  windows_open_apart(&w, 3);
  for (uint64_t meeting = 1; meeting <= 3; meeting++) {
    const uint64_t all = 3 * meeting * term;
    ck_assert_int_lt(mpj_meet_beyond(mpj_control_meet(&w.of[0], 1, 2, 5, term, all), all), 0);
    exchange(&w);
    ck_assert_int_lt(mpj_meet_beyond(mpj_control_meet(&w.of[0], 1, 2, 5, 0, all), all), 0);
    mpj_control_meet(&w.of[1], 1, 2, 5, term, all);
    exchange(&w);
    ck_assert_int_lt(mpj_meet_beyond(mpj_control_meet(&w.of[0], 1, 2, 5, 0, all), all), 0);
    mpj_control_meet(&w.of[2], 1, 2, 5, term, all);
    exchange(&w);
    for (int rank = 0; rank < 3; rank++)
      ck_assert_uint_eq(mpj_control_meet(&w.of[rank], 1, 2, 5, 0, all), all);
  }
  windows_close(&w);
}
END_TEST

START_TEST(a_home_that_comes_last_tells_those_who_came_before)
{
  struct windows w;
  const uint64_t term = UINT64_C(5) << MPJ_MEET_BITS | 1, all = 3 * term;
  windows_open_apart(&w, 3);
  mpj_control_meet(&w.of[0], 1, 2, 5, term, all);
  mpj_control_meet(&w.of[2], 1, 2, 5, term, all);
  exchange(&w);
  exchange(&w);
  mpj_control_meet(&w.of[1], 1, 2, 5, term, all);
  exchange(&w);
  for (int rank = 0; rank < 3; rank++)
    ck_assert_uint_eq(mpj_control_meet(&w.of[rank], 1, 2, 5, 0, all), all);
  windows_close(&w);
}
END_TEST

/* Of a meeting to which a message came last, when the home was about to end. */
START_TEST(a_home_tells_before_it_ends)
{
  struct windows w;
  const uint64_t term = UINT64_C(9) << MPJ_MEET_BITS | 1, all = 2 * term;
  windows_open_apart(&w, 2);
  mpj_control_meet(&w.of[1], 1, 2, 5, term, all);
  mpj_control_meet(&w.of[0], 1, 2, 5, term, all);
  w.e.net[1]->also[MPJ_ALSO_CONTROL].fn = NULL; /* its polls take in, and tell nothing */
  mpj_net_poll(w.e.net[1]);
  ck_assert(w.of[1].news);
  mpj_told_settle(&w.of[1]);
  ck_assert(!w.of[1].news);
  mpj_net_poll(w.e.net[0]);
  ck_assert_uint_eq(mpj_control_meet(&w.of[0], 1, 2, 5, 0, all), all);
  windows_close(&w);
}
END_TEST

START_TEST(what_makes_no_sense_is_dropped_with_a_warning)
{
  struct windows w;
  struct warnings kept;
  char text[200];
  unsigned char junk[MPJ_AM_SHORT_MAX];
  windows_open_apart(&w, 2);
  for (unsigned bytes = 0; bytes <= sizeof junk; bytes++) {
    memset(junk, 255, sizeof junk);
    warnings_begin(&kept);
    ck_assert_int_eq(mpj_net_short(w.e.net[0], 1, MPJ_AM_CONTROL, junk, bytes), MPJ_SUCCESS);
    mpj_net_poll(w.e.net[1]);
    warnings_end(&kept, text, sizeof text);
    ck_assert_msg(strstr(text, "rank 1 dropped a malformed message"), "%u bytes: %s", bytes, text);
  }
  ck_assert_uint_eq(count_bits(&w.of[1]), 0);
  windows_close(&w);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/control_messages", signals_come_by_messages,
                   a_signal_that_finds_no_room_says_so_and_comes_later,
                   progress_is_told_to_whoever_has_asked, windows_that_nobody_waits_for_are_no_news,
                   signals_to_windows_that_a_rank_never_had_are_dropped,
                   a_home_counts_for_those_who_come_by_messages,
                   a_home_that_comes_last_tells_those_who_came_before, a_home_tells_before_it_ends,
                   what_makes_no_sense_is_dropped_with_a_warning);
}
