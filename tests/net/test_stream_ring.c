/* This file tests the ring of pieces by its words, and what is learnt of speeds. */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "base/suite.h"
#include "net/pull/speed.h"
#include "net/pull/stream_ring.h"

START_TEST(ring_is_claimed_by_its_generation_alone)
{
  static struct mpj_stream s;
  const uint32_t first = mpj_stream_open(&s);
  ck_assert(mpj_stream_is_open(&s, first) && !mpj_stream_is_open(&s, first + 1));
  ck_assert(mpj_stream_close(&s, first));
  ck_assert(!mpj_stream_claim(&s, first, 0));
  const uint32_t second = mpj_stream_open(&s);
  ck_assert_uint_ne(first, second);
  ck_assert(!mpj_stream_claim(&s, first, 0));
  ck_assert(!mpj_stream_claim(&s, second, 1)); /* another piece is next */
  ck_assert(mpj_stream_claim(&s, second, 0));
  ck_assert(!mpj_stream_claim(&s, second, 0)); /* twice */
}
END_TEST

START_TEST(closing_waits_for_the_piece_that_is_being_written)
{
  static struct mpj_stream s;
  uint32_t filled;
  const uint32_t generation = mpj_stream_open(&s);
  ck_assert(mpj_stream_claim(&s, generation, 0));
  ck_assert(mpj_stream_publish(&s, true));
  ck_assert(!mpj_stream_close(&s, generation));
  ck_assert(mpj_stream_filled(&s, generation, &filled) && filled == 1);
  ck_assert(!mpj_stream_publish(&s, true)); /* it does not go on */
  ck_assert(mpj_stream_close(&s, generation));
  ck_assert(mpj_stream_filled(&s, generation, &filled) && filled == 2);
  ck_assert(!mpj_stream_claim(&s, generation, 2));
}
END_TEST

START_TEST(ring_has_room_for_as_many_pieces_as_it_has)
{
  static struct mpj_stream s;
  mpj_stream_open(&s);
  ck_assert(mpj_stream_has_room(&s, 3, 4) && !mpj_stream_has_room(&s, 4, 4));
  mpj_stream_empty(&s, 1);
  ck_assert(mpj_stream_has_room(&s, 4, 4) && !mpj_stream_has_room(&s, 5, 4));
  mpj_stream_empty(&s, 7); /* what cannot be: nothing goes on */
  ck_assert(!mpj_stream_has_room(&s, 5, 4));
}
END_TEST

enum { PIECES = 4, ALL = 20000 };
struct game {
  struct mpj_stream stream;
  uint32_t generation;
  unsigned value[PIECES];
};

static void *fill(void *arg)
{
  struct game *g = arg;
  bool claimed = false;
  for (unsigned i = 0; i < ALL;) {
    if (!claimed && !(mpj_stream_has_room(&g->stream, i, PIECES) &&
                      mpj_stream_claim(&g->stream, g->generation, i))) {
      sched_yield();
      continue;
    }
    g->value[i % PIECES] = i * 7;
    i++;
    claimed = mpj_stream_publish(&g->stream, i < ALL && mpj_stream_has_room(&g->stream, i, PIECES));
  }
  return NULL;
}

START_TEST(pieces_pass_between_two_threads_in_order)
{
  static struct game g;
  pthread_t thread;
  g.generation = mpj_stream_open(&g.stream);
  ck_assert_int_eq(pthread_create(&thread, NULL, fill, &g), 0);
  for (uint32_t i = 0, filled; i < ALL;) {
    ck_assert(mpj_stream_filled(&g.stream, g.generation, &filled));
    ck_assert_uint_le(filled - i, PIECES);
    if (filled == i) sched_yield();
    while (i < filled) {
      ck_assert_uint_eq(g.value[i % PIECES], i * 7);
      mpj_stream_empty(&g.stream, ++i);
    }
  }
  pthread_join(thread, NULL);
  ck_assert(mpj_stream_close(&g.stream, g.generation));
}
END_TEST

/* How many of n pulls of 64 KiB go which way where the two take so long. */
static unsigned play(struct mpj_speed *s, unsigned n, int64_t ns0, int64_t ns1)
{
  unsigned second = 0;
  for (unsigned i = 0; i < n; i++) {
    const unsigned which = mpj_speed_choose(s);
    mpj_speed_note(s, which, 65536, which == 0 ? ns0 : ns1);
    second += which;
  }
  return second;
}

START_TEST(the_faster_of_two_is_taken_and_the_other_one_is_tried_seldom)
{
  struct mpj_speed s = {0};
  ck_assert_uint_le(play(&s, 10000, 2000, 6000), 4 + 10000 / (32 * 9) + 1);
  s = (struct mpj_speed){0};
  ck_assert_uint_ge(play(&s, 10000, 6000, 2000), 10000 - 4 - 10000 / (32 * 9) - 1);
}
END_TEST

START_TEST(a_change_of_the_machine_is_noticed)
{
  struct mpj_speed s = {0};
  play(&s, 1000, 2000, 6000);
  ck_assert_uint_ge(play(&s, 1000, 30000, 6000), 900);   /* the one in use has become slow */
  ck_assert_uint_le(play(&s, 20000, 2000, 6000), 15000); /* and fast again */
}
END_TEST

START_TEST(one_late_source_changes_no_choice)
{
  struct mpj_speed s = {0};
  play(&s, 1000, 2000, 6000);
  mpj_speed_note(&s, 0, 65536, 1000000000);
  ck_assert_uint_eq(mpj_speed_choose(&s), 0);
}
END_TEST

START_TEST(sizes_and_kinds_are_learnt_apart_and_any_number_will_do)
{
  static struct mpj_speeds all;
  ck_assert_ptr_ne(mpj_speed_of(&all, 0, 65536), mpj_speed_of(&all, 1, 65536));
  ck_assert_ptr_ne(mpj_speed_of(&all, 0, 65536), mpj_speed_of(&all, 0, 131072));
  ck_assert_ptr_eq(mpj_speed_of(&all, 0, 65536), mpj_speed_of(&all, 0, 131071));
  const int64_t strange[] = {0, 1, INT64_MAX};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      struct mpj_speed *s = mpj_speed_of(&all, 3, strange[i]);
      mpj_speed_note(s, mpj_speed_choose(s), strange[i], strange[k]);
      ck_assert(s >= &all.of[0][0] && s < &all.of[0][0] + MPJ_SPEED_KINDS * MPJ_SPEED_SIZES);
    }
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/stream_ring", ring_is_claimed_by_its_generation_alone,
                   closing_waits_for_the_piece_that_is_being_written,
                   ring_has_room_for_as_many_pieces_as_it_has,
                   pieces_pass_between_two_threads_in_order,
                   the_faster_of_two_is_taken_and_the_other_one_is_tried_seldom,
                   a_change_of_the_machine_is_noticed, one_late_source_changes_no_choice,
                   sizes_and_kinds_are_learnt_apart_and_any_number_will_do);
}
