/* This file tests the words of control windows in common memory: signals, progress, meetings and
 * posts. */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "base/suite.h"
#include "coll/control_windows.h"

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

int main(void)
{
  return RUN_SUITE("coll/control", signal_sets_its_bit_at_the_peer_and_no_other,
                   signals_of_several_threads_are_all_kept, progress_is_read_from_the_peers_window,
                   meeting_counts_everybody_and_looking_counts_nobody,
                   a_word_says_how_many_have_met_and_whether_for_the_same,
                   last_to_meet_wakes_those_who_sleep, a_post_is_found_by_its_turn,
                   windows_beyond_the_first_extent_are_found,
                   whoever_cannot_see_a_window_gives_up_once);
}
