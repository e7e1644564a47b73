/* This file tests the words of control windows, in common memory and told by messages: signals,
 * progress, meetings and posts. */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "base/suite.h"
#include "coll/control/messages.h"
#include "coll/control/own_windows.h"
#include "coll/control/signals.h"
#include "net/endpoints.h"

/* The windows of a few ranks. */
struct windows {
  struct endpoints e;
  struct mpj_control of[ENDPOINTS_MAX];
};

static void windows_open(struct windows *w, int n)
{
  endpoints_open(&w->e, n);
  for (int rank = 0; rank < n; rank++)
    mpj_control_begin(&w->of[rank], w->e.net[rank], NULL, NULL);
}

static void windows_close(struct windows *w)
{
  for (int rank = 0; rank < w->e.n; rank++)
    mpj_control_end(&w->of[rank]);
  endpoints_close(&w->e);
}

/* Bits set in all windows of a rank. */
static unsigned count_bits(struct mpj_control *control)
{
  unsigned n = 0;
  for (unsigned number = 0; number < MPJ_CONTROLS; number++)
    for (unsigned slot = 0; slot < MPJ_WINDOW; slot++)
      for (unsigned w = 0; w < MPJ_BITS_WORDS; w++) {
        const struct mpj_control_slot *s = &mpj_control_window(control, number)->slot[slot];
        n += (unsigned)__builtin_popcountll(mpj_atomic_bits_load(&s->arrived, w));
      }
  return n;
}

static bool is_set(const struct mpj_atomic_bits *bits, unsigned bit)
{
  return mpj_atomic_bits_load(bits, bit / 64) >> (bit % 64) & 1;
}

START_TEST(signal_sets_its_bit_at_the_peer_and_no_other)
{
  struct windows w;
  unsigned set = 0;
  windows_open(&w, 2);
  for (unsigned bit = 0; bit < MPJ_BITS_MAX; bit += 7, set++) {
    const unsigned control = bit % MPJ_CONTROLS, slot = bit % MPJ_WINDOW;
    const struct mpj_control_slot *s = &mpj_control_window(&w.of[1], control)->slot[slot];
    ck_assert(!is_set(&s->arrived, bit));
    ck_assert_int_eq(mpj_control_signal(&w.of[0], 1, control, slot, bit), MPJ_SUCCESS);
    ck_assert(is_set(&s->arrived, bit));
    ck_assert_uint_eq(count_bits(&w.of[1]), set + 1);
  }
  ck_assert_uint_eq(count_bits(&w.of[0]), 0);
  ck_assert(!mpj_net_poll(w.e.net[1])); /* no message: the window is read, not polled */
  windows_close(&w);
}
END_TEST

struct signaller {
  struct mpj_control *control;
  unsigned first; /* sets every third bit from here on */
};

static void *signal_all(void *arg)
{
  const struct signaller *s = arg;
  for (unsigned bit = s->first; bit < MPJ_BITS_MAX; bit += 3)
    mpj_control_signal(s->control, 0, 2, 5, bit);
  return NULL;
}

START_TEST(signals_of_several_threads_are_all_kept)
{
  struct windows w;
  pthread_t thread[3];
  struct signaller signaller[3];
  unsigned seen = 0;
  windows_open(&w, 4);
  for (unsigned i = 0; i < 3; i++) {
    signaller[i] = (struct signaller){&w.of[i + 1], i};
    ck_assert_int_eq(pthread_create(&thread[i], NULL, signal_all, &signaller[i]), 0);
  }
  const struct mpj_control_slot *s = &mpj_control_window(&w.of[0], 2)->slot[5];
  while (seen < MPJ_BITS_MAX) {
    seen = 0;
    for (unsigned bit = 0; bit < MPJ_BITS_MAX; bit++)
      seen += is_set(&s->arrived, bit);
    sched_yield();
  }
  for (int i = 0; i < 3; i++)
    pthread_join(thread[i], NULL);
  windows_close(&w);
}
END_TEST

START_TEST(progress_is_read_from_the_peers_window)
{
  struct windows w;
  windows_open(&w, 2);
  ck_assert_uint_eq(mpj_control_done(&w.of[0], 1, 3), 0);
  atomic_store(&mpj_control_window(&w.of[1], 3)->done, UINT64_MAX - 1);
  ck_assert_uint_eq(mpj_control_done(&w.of[0], 1, 3), UINT64_MAX - 1);
  ck_assert_uint_eq(mpj_control_done(&w.of[0], 1, 2), 0);
  ck_assert_uint_eq(mpj_control_done(&w.of[1], 0, 3), 0);
  windows_close(&w);
}
END_TEST

START_TEST(meeting_counts_everybody_and_looking_counts_nobody)
{
  struct windows w;
  windows_open(&w, 3);
  const uint64_t term = UINT64_C(0xfedcba98765) << MPJ_MEET_BITS | 1;
  for (uint64_t meeting = 1; meeting <= 3; meeting++) {
    const uint64_t before = 3 * (meeting - 1) * term, all = 3 * meeting * term;
    ck_assert_uint_eq(mpj_control_meet(&w.of[0], 1, 2, 5, 0, all), before);
    ck_assert_uint_eq(mpj_control_meet(&w.of[2], 1, 2, 5, term, all), before + term);
    ck_assert_uint_eq(mpj_control_meet(&w.of[0], 1, 2, 5, term, all), before + 2 * term);
    ck_assert_uint_eq(mpj_control_meet(&w.of[1], 1, 2, 5, 0, all), before + 2 * term);
    ck_assert_uint_eq(mpj_control_meet(&w.of[1], 1, 2, 5, term, all), all);
    ck_assert_uint_eq(mpj_control_meet(&w.of[2], 1, 2, 5, 0, all), all);
  }
  ck_assert_uint_eq(mpj_control_meet(&w.of[0], 0, 2, 5, 0, 1), 0); /* another home */
  ck_assert_uint_eq(mpj_control_meet(&w.of[0], 1, 3, 5, 0, 1), 0); /* another communicator */
  ck_assert_uint_eq(mpj_control_meet(&w.of[0], 1, 2, 4, 0, 1), 0); /* another slot */
  windows_close(&w);
}
END_TEST

START_TEST(a_word_says_how_many_have_met_and_whether_for_the_same)
{
  const uint64_t one = UINT64_C(77) << MPJ_MEET_BITS | 1, other = one + (1 << MPJ_MEET_BITS);
  for (uint64_t n = 1; n < 3000000; n = 3 * n + 1) {
    const uint64_t all = n * 4 * one;
    ck_assert_int_eq(mpj_meet_beyond(all - one, all), -1);
    ck_assert_int_eq(mpj_meet_beyond(all, all), 0);
    ck_assert_int_eq(mpj_meet_beyond(all - one + other, all), 0);
    ck_assert(all - one + other != all);
    ck_assert_int_eq(mpj_meet_beyond(all + 3 * other, all), 3);
  }
}
END_TEST

START_TEST(last_to_meet_wakes_those_who_sleep)
{
  struct windows w;
  windows_open(&w, 3);
  for (int rank = 0; rank < 2; rank++) {
    mpj_control_meet(&w.of[rank], 0, 0, 0, 1, 3);
    atomic_store(&mpj_segment_rank(w.e.segment, rank)->sleeping, 1);
  }
  mpj_control_meet(&w.of[2], 0, 0, 0, 1, 3);
  for (int rank = 0; rank < 2; rank++)
    ck_assert_uint_eq(atomic_load(&mpj_segment_rank(w.e.segment, rank)->sleeping), 0);
  windows_close(&w);
}
END_TEST

START_TEST(a_post_is_found_by_its_turn)
{
  struct windows w;
  char body[MPJ_CELL_BODY], seen[MPJ_CELL_BODY];
  windows_open(&w, 3);
  for (uint64_t turn = 1; turn <= 3; turn++) {
    memset(body, (int)turn, sizeof body);
    for (int rank = 1; rank < 3; rank++)
      ck_assert(!mpj_control_look(&w.of[rank], 0, 7, 2, turn, seen));
    mpj_control_post(&w.of[0], 7, 2, turn, body);
    for (int rank = 1; rank < 3; rank++) {
      ck_assert(mpj_control_look(&w.of[rank], 0, 7, 2, turn, seen));
      ck_assert_mem_eq(seen, body, sizeof body);
      ck_assert(!mpj_control_look(&w.of[rank], 0, 7, 2, turn + 1, seen));
      ck_assert(!mpj_control_look(&w.of[rank], 0, 8, 2, turn, seen));
    }
  }
  windows_close(&w);
}
END_TEST

/* By messages: as if the ranks had no memory in common but each its own. */

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

static void publish(struct windows *w, int rank, unsigned number, uint64_t done)
{
  mpj_control_has_done(&w->of[rank], mpj_control_window(&w->of[rank], number), number, done);
}

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

/* Numbers of windows in extents of common memory beyond the first. */
static const unsigned further[] = {
    MPJ_FIRST_CONTROLS, MPJ_FIRST_CONTROLS + 1, MPJ_FIRST_CONTROLS + MPJ_FURTHER_CONTROLS - 1,
    MPJ_FIRST_CONTROLS + MPJ_FURTHER_CONTROLS, MPJ_FIRST_CONTROLS + 7 * MPJ_FURTHER_CONTROLS + 9};
enum { FURTHER = sizeof further / sizeof *further };

START_TEST(windows_beyond_the_first_extent_are_found)
{
  struct windows w;
  windows_open(&w, 3);
  for (unsigned i = 0; i < FURTHER; i++) {
    const unsigned number = further[i];
    struct mpj_control_window *window = mpj_control_window(&w.of[1], number);
    ck_assert_ptr_nonnull(window);
    ck_assert_ptr_eq(window, mpj_control_window(&w.of[1], number));
    for (unsigned slot = 0; slot < MPJ_SMALL_WINDOW; slot++) {
      const uint64_t turn = number + slot;
      unsigned char body[MPJ_CELL_BODY], seen[MPJ_CELL_BODY] = {0};
      memset(body, (int)(3 * i + slot + 1), sizeof body);
      ck_assert(!is_set(&window->slot[slot].arrived, i));
      ck_assert_int_eq(mpj_control_signal(&w.of[0], 1, number, slot, i), MPJ_SUCCESS);
      ck_assert(is_set(&window->slot[slot].arrived, i));
      ck_assert_uint_eq(mpj_control_meet(&w.of[2], 1, number, slot, 1, 2), 1);
      ck_assert_uint_eq(mpj_control_meet(&w.of[1], 1, number, slot, 1, 2), 2);
      ck_assert(!mpj_control_look(&w.of[2], 1, number, slot, turn, seen));
      mpj_control_post(&w.of[1], number, slot, turn, body);
      ck_assert(mpj_control_look(&w.of[2], 1, number, slot, turn, seen));
      ck_assert_mem_eq(seen, body, sizeof body);
    }
    publish(&w, 1, number, 100 + i);
    ck_assert_uint_eq(mpj_control_done(&w.of[2], 1, number), 100 + i);
  }
  ck_assert_uint_eq(count_bits(&w.of[1]), 0); /* nor is one of them one of the first extent */
  windows_close(&w);
}
END_TEST

static void note_that_it_gives_up(void *ctx)
{
  ++*(int *)ctx;
}

/* As of memory that cannot be mapped. */
START_TEST(whoever_cannot_see_a_window_gives_up_once)
{
  struct windows w;
  int given_up = 0;
  windows_open(&w, 2);
  w.of[0].give_up = note_that_it_gives_up;
  w.of[0].ctx = &given_up;
  ck_assert_uint_eq(mpj_control_done(&w.of[0], 1, MPJ_FIRST_CONTROLS - 1), 0);
  mpj_net_poll(w.e.net[0]);
  ck_assert_int_eq(given_up, 0);
  ck_assert_uint_eq(mpj_control_done(&w.of[0], 1, MPJ_FIRST_CONTROLS), 0);
  for (int i = 0; i < 3; i++)
    mpj_net_poll(w.e.net[0]);
  ck_assert_int_eq(given_up, 1);
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
  return RUN_SUITE("coll/control", signal_sets_its_bit_at_the_peer_and_no_other,
                   signals_of_several_threads_are_all_kept, progress_is_read_from_the_peers_window,
                   meeting_counts_everybody_and_looking_counts_nobody,
                   a_word_says_how_many_have_met_and_whether_for_the_same,
                   last_to_meet_wakes_those_who_sleep, a_post_is_found_by_its_turn,
                   signals_come_by_messages, a_signal_that_finds_no_room_says_so_and_comes_later,
                   progress_is_told_to_whoever_has_asked, windows_that_nobody_waits_for_are_no_news,
                   windows_beyond_the_first_extent_are_found,
                   whoever_cannot_see_a_window_gives_up_once,
                   signals_to_windows_that_a_rank_never_had_are_dropped,
                   a_home_counts_for_those_who_come_by_messages,
                   a_home_that_comes_last_tells_those_who_came_before, a_home_tells_before_it_ends,
                   what_makes_no_sense_is_dropped_with_a_warning);
}
