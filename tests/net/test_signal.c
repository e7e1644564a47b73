/* This file tests what ranks set and read in each other's part of the segment:
 * signals, progress, meetings and rank states. */
#include <pthread.h>
#include <sched.h>

#include "base/suite.h"
#include "net/endpoints.h"

/* Bits set in all windows of a rank. */
static unsigned count_bits(struct mpj_net *net)
{
  unsigned n = 0;
  for (unsigned control = 0; control < MPJ_CONTROLS; control++)
    for (unsigned slot = 0; slot < MPJ_WINDOW; slot++)
      for (unsigned w = 0; w < MPJ_BITS_WORDS; w++) {
        const struct mpj_control_slot *s = &mpj_net_window(net, control)->slot[slot];
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
  struct endpoints e;
  unsigned set = 0;
  endpoints_open(&e, 2);
  for (unsigned bit = 0; bit < MPJ_BITS_MAX; bit += 7, set++) {
    const unsigned control = bit % MPJ_CONTROLS, slot = bit % MPJ_WINDOW;
    const struct mpj_control_slot *s = &mpj_net_window(e.net[1], control)->slot[slot];
    ck_assert(!is_set(&s->arrived, bit));
    ck_assert_int_eq(mpj_net_signal(e.net[0], 1, control, slot, bit), MPJ_SUCCESS);
    ck_assert(is_set(&s->arrived, bit));
    ck_assert_uint_eq(count_bits(e.net[1]), set + 1);
  }
  ck_assert_uint_eq(count_bits(e.net[0]), 0);
  ck_assert(!mpj_net_poll(e.net[1])); /* no message: the window is read, not polled */
  endpoints_close(&e);
}
END_TEST

struct signaller {
  struct mpj_net *net;
  unsigned first; /* sets every third bit from here on */
};

static void *signal_all(void *arg)
{
  const struct signaller *s = arg;
  for (unsigned bit = s->first; bit < MPJ_BITS_MAX; bit += 3)
    mpj_net_signal(s->net, 0, 2, 5, bit);
  return NULL;
}

START_TEST(signals_of_several_threads_are_all_kept)
{
  struct endpoints e;
  pthread_t thread[3];
  struct signaller signaller[3];
  unsigned seen = 0;
  endpoints_open(&e, 4);
  for (unsigned i = 0; i < 3; i++) {
    signaller[i] = (struct signaller){e.net[i + 1], i};
    ck_assert_int_eq(pthread_create(&thread[i], NULL, signal_all, &signaller[i]), 0);
  }
  const struct mpj_control_slot *s = &mpj_net_window(e.net[0], 2)->slot[5];
  while (seen < MPJ_BITS_MAX) {
    seen = 0;
    for (unsigned bit = 0; bit < MPJ_BITS_MAX; bit++)
      seen += is_set(&s->arrived, bit);
    sched_yield();
  }
  for (int i = 0; i < 3; i++)
    pthread_join(thread[i], NULL);
  endpoints_close(&e);
}
END_TEST

START_TEST(progress_is_read_from_the_peers_window)
{
  struct endpoints e;
  endpoints_open(&e, 2);
  ck_assert_uint_eq(mpj_net_done(e.net[0], 1, 3), 0);
  atomic_store(&mpj_net_window(e.net[1], 3)->done, UINT64_MAX - 1);
  ck_assert_uint_eq(mpj_net_done(e.net[0], 1, 3), UINT64_MAX - 1);
  ck_assert_uint_eq(mpj_net_done(e.net[0], 1, 2), 0);
  ck_assert_uint_eq(mpj_net_done(e.net[1], 0, 3), 0);
  ck_assert_ptr_eq(mpj_net_window(e.net[1], 3), mpj_segment_window(e.segment, 1, 3));
  endpoints_close(&e);
}
END_TEST

START_TEST(meeting_counts_everybody_and_looking_counts_nobody)
{
  struct endpoints e;
  endpoints_open(&e, 3);
  const uint64_t term = UINT64_C(0xfedcba98765) << MPJ_MEET_BITS | 1;
  for (uint64_t meeting = 1; meeting <= 3; meeting++) {
    const uint64_t before = 3 * (meeting - 1) * term, all = 3 * meeting * term;
    ck_assert_uint_eq(mpj_net_meet(e.net[0], 1, 2, 5, 0, all), before);
    ck_assert_uint_eq(mpj_net_meet(e.net[2], 1, 2, 5, term, all), before + term);
    ck_assert_uint_eq(mpj_net_meet(e.net[0], 1, 2, 5, term, all), before + 2 * term);
    ck_assert_uint_eq(mpj_net_meet(e.net[1], 1, 2, 5, 0, all), before + 2 * term);
    ck_assert_uint_eq(mpj_net_meet(e.net[1], 1, 2, 5, term, all), all);
    ck_assert_uint_eq(mpj_net_meet(e.net[2], 1, 2, 5, 0, all), all);
  }
  ck_assert_uint_eq(mpj_net_meet(e.net[0], 0, 2, 5, 0, 1), 0); /* another home */
  ck_assert_uint_eq(mpj_net_meet(e.net[0], 1, 3, 5, 0, 1), 0); /* another communicator */
  ck_assert_uint_eq(mpj_net_meet(e.net[0], 1, 2, 4, 0, 1), 0); /* another slot */
  endpoints_close(&e);
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
  struct endpoints e;
  endpoints_open(&e, 3);
  for (int rank = 0; rank < 2; rank++) {
    mpj_net_meet(e.net[rank], 0, 0, 0, 1, 3);
    atomic_store(&mpj_segment_rank(e.segment, rank)->sleeping, 1);
  }
  mpj_net_meet(e.net[2], 0, 0, 0, 1, 3);
  for (int rank = 0; rank < 2; rank++)
    ck_assert_uint_eq(atomic_load(&mpj_segment_rank(e.segment, rank)->sleeping), 0);
  endpoints_close(&e);
}
END_TEST

START_TEST(peers_see_who_left_and_who_died_of_what)
{
  struct endpoints e;
  int cause = -1;
  endpoints_open(&e, 3);
  ck_assert_int_eq(mpj_net_peer_state(e.net[0], 1, NULL), MPJ_RANK_ACTIVE);
  ck_assert_uint_eq(mpj_net_changes(e.net[0]), 0);
  mpj_net_close(e.net[1], MPJ_RANK_FINALIZED, 0);
  ck_assert_int_eq(mpj_net_peer_state(e.net[0], 1, NULL), MPJ_RANK_FINALIZED);
  ck_assert_uint_eq(mpj_net_changes(e.net[0]), 1);
  mpj_net_close(e.net[2], MPJ_RANK_DEAD, MPJ_CAUSE_RETURNED | 7);
  ck_assert_int_eq(mpj_net_peer_state(e.net[0], 2, &cause), MPJ_RANK_DEAD);
  ck_assert_int_eq(cause, MPJ_CAUSE_RETURNED | 7);
  ck_assert_uint_eq(mpj_net_changes(e.net[0]), 2);
  e.net[1] = e.net[2] = NULL;
  atomic_store(&mpj_segment_rank(e.segment, 1)->state, 99); /* what nobody writes */
  ck_assert_int_eq(mpj_net_peer_state(e.net[0], 1, NULL), MPJ_RANK_DEAD);
  endpoints_close(&e);
}
END_TEST

START_TEST(rank_that_never_came_is_absent)
{
  struct endpoints e;
  endpoints_open(&e, 1);
  ck_assert_int_eq(e.net[0]->rank, 0);
  ck_assert_int_eq(e.net[0]->size, 1);
  ck_assert_int_eq(e.net[0]->eager_bytes, e.segment->config.eager_bytes);
  ck_assert_int_eq(e.net[0]->cores, e.segment->config.cores);
  atomic_store(&mpj_segment_rank(e.segment, 0)->state, MPJ_RANK_ABSENT);
  ck_assert_int_eq(mpj_net_peer_state(e.net[0], 0, NULL), MPJ_RANK_ABSENT);
  endpoints_close(&e);
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "net/signal", signal_sets_its_bit_at_the_peer_and_no_other, signals_of_several_threads_are_all_kept,
      progress_is_read_from_the_peers_window, meeting_counts_everybody_and_looking_counts_nobody,
      a_word_says_how_many_have_met_and_whether_for_the_same, last_to_meet_wakes_those_who_sleep,
      peers_see_who_left_and_who_died_of_what, rank_that_never_came_is_absent);
}
