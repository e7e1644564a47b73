/* This file tests that the fastest way is found, by times that are made up. */
#include "base/suite.h"
#include "net/pull/tried.h"

enum { BYTES = 65536, ALL = (1 << MPJ_TRIES) - 1, LONG = 1 << 15 };
enum { SEARCH = 512 }; /* turns after which every way has been timed */

/* Let turns [first, last) take what times says by the way, in ns; counts the ways. */
static void play(struct mpj_tried *t, unsigned can, const int times[MPJ_TRIES], uint32_t first,
                 uint32_t last, unsigned counts[MPJ_TRIES])
{
  for (unsigned way = 0; way < MPJ_TRIES; way++)
    counts[way] = 0;
  for (uint32_t turn = first; turn < last; turn++) {
    const enum mpj_try way = mpj_tried_choose(t, can, MPJ_TRY_ALONE, 0, turn);
    if (!(can >> way & 1)) ck_abort_msg("way %d at turn %u", (int)way, turn);
    counts[way]++;
    mpj_tried_note(t, way, BYTES, times[way]);
  }
}

START_TEST(few_transfers_go_as_is_likely)
{
  struct mpj_tried t = {.best = 0};
  for (uint32_t turn = 0; turn < 8; turn++)
    ck_assert_int_eq(mpj_tried_choose(&t, ALL, MPJ_TRY_BOTH, 0, turn), MPJ_TRY_BOTH);
}
END_TEST

START_TEST(fastest_way_is_found_and_the_others_cost_little)
{
  for (unsigned fastest = 0; fastest < MPJ_TRIES; fastest++) {
    struct mpj_tried t = {.best = 0};
    unsigned counts[MPJ_TRIES];
    int times[MPJ_TRIES] = {9000, 8000, 12000, 10000};
    times[fastest] = 4000;
    play(&t, ALL, times, 0, SEARCH, counts);
    ck_assert_uint_ge(counts[MPJ_TRY_ALONE] + counts[fastest], SEARCH * 3 / 4);
    play(&t, ALL, times, SEARCH, LONG, counts);
    ck_assert_uint_ge(counts[fastest], LONG - SEARCH - LONG / 100);
    for (unsigned way = 0; way < MPJ_TRIES; way++)
      ck_assert_uint_gt(counts[way], 0);
  }
}
END_TEST

/* A program makes other calls between. */
START_TEST(fastest_way_is_found_where_every_so_many_th_operation_is_such_a_call)
{
  static const int times[MPJ_TRIES] = {10000, 30000, 6000, 20000};
  for (uint32_t step = 2; step <= 4096; step *= 2)
    for (uint32_t first = 0; first < 5; first++) {
      struct mpj_tried t = {.best = 0};
      unsigned fastest = 0;
      for (uint32_t i = 0; i < 2000; i++) {
        const enum mpj_try way = mpj_tried_choose(&t, ALL, MPJ_TRY_ALONE, 0, first + i * step);
        mpj_tried_note(&t, way, BYTES, times[way]);
        if (i >= 1000) fastest += way == MPJ_TRY_CACHED;
      }
      if (fastest < 960) ck_abort_msg("%u of 1000 from %u by %u", fastest, first, step);
    }
}
END_TEST

START_TEST(way_that_cannot_carry_it_is_never_taken)
{
  struct mpj_tried t = {.best = 0};
  unsigned counts[MPJ_TRIES];
  const int times[MPJ_TRIES] = {9000, 10, 12000, 5000};
  play(&t, ALL & ~(1u << MPJ_TRY_BOTH), times, 0, LONG, counts);
  ck_assert_uint_ge(counts[MPJ_TRY_PAST], LONG - LONG / 50);
}
END_TEST

START_TEST(another_way_is_taken_when_it_has_become_faster)
{
  struct mpj_tried t = {.best = 0};
  unsigned counts[MPJ_TRIES];
  const int before[MPJ_TRIES] = {9000, 8000, 4000, 6000},
            slow[MPJ_TRIES] = {9000, 8000, 40000, 6000},
            after[MPJ_TRIES] = {2000, 8000, 4000, 6000};
  play(&t, ALL, before, 0, LONG, counts);
  play(&t, ALL, slow, LONG, LONG + 64, counts); /* what is taken tells at once */
  ck_assert_uint_ge(counts[MPJ_TRY_PAST], 32);
  play(&t, ALL, after, LONG + 64, 2 * LONG, counts);
  ck_assert_uint_ge(counts[MPJ_TRY_ALONE], LONG * 3 / 4);
}
END_TEST

START_TEST(what_was_held_up_now_and_then_is_not_taken_for_slow)
{
  struct mpj_tried t = {.best = 0};
  unsigned counts[MPJ_TRIES];
  const int times[MPJ_TRIES] = {9000, 8000, 4000, 6000};
  play(&t, ALL, times, 0, SEARCH, counts);
  for (uint32_t turn = SEARCH; turn < LONG; turn++) {
    const enum mpj_try way = mpj_tried_choose(&t, ALL, MPJ_TRY_ALONE, 0, turn);
    mpj_tried_note(&t, way, BYTES, turn % 8 == 0 ? 4000000 : times[way]);
    if (t.best != 1 + MPJ_TRY_CACHED) ck_abort_msg("way %d is best at turn %u", t.best - 1, turn);
  }
}
END_TEST

/* Each side times what it does while the other does the same: two that take part from another
 * transfer on still try at the same turns. */
START_TEST(both_sides_try_the_same_way_at_the_same_turn)
{
  struct mpj_tried a = {.best = 0}, b = {.best = 0};
  unsigned counts[MPJ_TRIES];
  const int times[MPJ_TRIES] = {9000, 8000, 4000, 6000};
  play(&a, ALL, times, 0, 2 * SEARCH, counts);
  play(&b, ALL, times, SEARCH / 2, 2 * SEARCH, counts);
  for (uint32_t turn = 2 * SEARCH; turn < LONG; turn++) {
    const enum mpj_try way = mpj_tried_choose(&a, ALL, MPJ_TRY_ALONE, 0, turn);
    if (mpj_tried_choose(&b, ALL, MPJ_TRY_BOTH, 0, turn) != way) ck_abort_msg("turn %u", turn);
    mpj_tried_note(&a, way, BYTES, times[way]);
    mpj_tried_note(&b, way, BYTES, times[way] + 1);
  }
}
END_TEST

START_TEST(way_of_the_other_side_is_taken_but_at_the_turns_of_a_trial)
{
  struct mpj_tried t = {.best = 0};
  unsigned counts[MPJ_TRIES], others = 0;
  const int times[MPJ_TRIES] = {9000, 8000, 4000, 6000};
  play(&t, ALL, times, 0, SEARCH, counts);
  for (uint32_t turn = SEARCH; turn < SEARCH + 2048; turn++)
    others += mpj_tried_choose(&t, ALL, MPJ_TRY_ALONE, 1 + MPJ_TRY_PAST, turn) != MPJ_TRY_PAST;
  ck_assert_uint_le(others, 32);
  const uint32_t turn = SEARCH + 64;                      /* of no trial */
  for (unsigned said = MPJ_TRIES + 1; said < 256; said++) /* from a peer that is broken */
    if (said % MPJ_TRIED_RARE > MPJ_TRIES || said >= MPJ_TRIED_RARE << MPJ_TRIES)
      ck_assert_int_eq(mpj_tried_choose(&t, ALL, MPJ_TRY_ALONE, said, turn), MPJ_TRY_CACHED);
  ck_assert_int_eq(
      mpj_tried_choose(&t, ALL & ~(1u << MPJ_TRY_PAST), MPJ_TRY_ALONE, 1 + MPJ_TRY_PAST, turn),
      MPJ_TRY_ALONE);
}
END_TEST

START_TEST(larger_data_begins_with_what_was_best_for_smaller)
{
  static struct mpj_tried_table table;
  const unsigned can = 1u << MPJ_TRY_ALONE | 1u << MPJ_TRY_PAST;
  ck_assert_int_eq(mpj_tried_likely(&table, 1, BYTES, can, MPJ_TRY_ALONE), MPJ_TRY_ALONE);
  mpj_tried_at(&table, 1, 8192)->best = 1 + MPJ_TRY_ALONE; /* too small to say anything */
  ck_assert_int_eq(mpj_tried_likely(&table, 1, BYTES, can, MPJ_TRY_PAST), MPJ_TRY_PAST);
  mpj_tried_at(&table, 1, 16384)->best = 1 + MPJ_TRY_CACHED;
  mpj_tried_at(&table, 1, 2 * BYTES)->best = 1 + MPJ_TRY_BOTH;
  ck_assert_int_eq(mpj_tried_likely(&table, 1, BYTES, can, MPJ_TRY_ALONE), MPJ_TRY_ALONE);
  mpj_tried_at(&table, 1, 32768)->best = 1 + MPJ_TRY_PAST;
  ck_assert_int_eq(mpj_tried_likely(&table, 1, BYTES, can, MPJ_TRY_ALONE), MPJ_TRY_PAST);
  ck_assert_int_eq(mpj_tried_likely(&table, 2, BYTES, can, MPJ_TRY_ALONE), MPJ_TRY_ALONE);
}
END_TEST

/* One operation: it begins, what this rank takes is here after `took`, and the next one begins
 * after `all`. */
static void exchange(struct mpj_tried *t, enum mpj_try way, uint32_t turn, int64_t *now,
                     int64_t took, int64_t all)
{
  mpj_tried_begin(t, way, BYTES, turn, *now);
  mpj_tried_end(t, turn, *now + took);
  *now += all;
}

/* One that takes twice as long as the best, or is refused, costs little. */
START_TEST(much_worse_ways_are_tried_rarely)
{
  struct mpj_tried t = {.best = 0};
  unsigned counts[MPJ_TRIES];
  const int times[MPJ_TRIES] = {40000, 4100, 4000, 30000};
  play(&t, ALL, times, 0, SEARCH, counts);
  play(&t, ALL, times, SEARCH, SEARCH + LONG, counts);
  ck_assert_uint_ge(counts[MPJ_TRY_ALONE], 1);
  ck_assert_uint_le(counts[MPJ_TRY_ALONE] + counts[MPJ_TRY_PAST], LONG / 500);
}
END_TEST

/* Pulls that another way had to carry say nothing of the one that was chosen. */
START_TEST(refused_way_is_not_taken_and_costs_little)
{
  struct mpj_tried t = {.best = 0};
  unsigned asked = 0;
  for (uint32_t turn = 0; turn < SEARCH + 4 * LONG; turn++) {
    const enum mpj_try way = mpj_tried_choose(&t, ALL, MPJ_TRY_ALONE, 0, turn);
    mpj_tried_begin(&t, way, BYTES, turn, turn * INT64_C(1000));
    if (way == MPJ_TRY_BOTH) {
      mpj_tried_refuse(&t, way);
      asked += turn >= SEARCH;
    }
    mpj_tried_end(&t, turn, turn * INT64_C(1000) + 900);
  }
  ck_assert_uint_eq(t.samples[MPJ_TRY_BOTH], 0);
  ck_assert_uint_ge(asked, 1);
  ck_assert_uint_le(asked, 4 * LONG / 500);
  mpj_tried_note(&t, MPJ_TRY_BOTH, BYTES, 900);
  ck_assert_uint_eq(t.refused[MPJ_TRY_BOTH], 0);
}
END_TEST

START_TEST(exchange_lasts_until_the_next_one_begins)
{
  struct mpj_tried t = {.best = 0};
  int64_t now = 1000;
  uint32_t turn = 0;
  for (; turn < 16; turn++)
    exchange(&t, MPJ_TRY_ALONE, turn, &now, 5000, 6000);
  for (; turn < 32; turn++) /* sooner here, but the other side has to wait */
    exchange(&t, MPJ_TRY_CACHED, turn, &now, 3000, 9000);
  ck_assert_int_eq(t.best, 1 + MPJ_TRY_ALONE);
  for (; turn < 48; turn++) /* the program computes */
    exchange(&t, MPJ_TRY_PAST, turn, &now, 3000, 900000);
  ck_assert_int_eq(t.best, 1 + MPJ_TRY_PAST);
  for (; turn < 80; turn += 2) /* others come between */
    exchange(&t, MPJ_TRY_BOTH, turn, &now, 1000, 3900);
  ck_assert_int_eq(t.best, 1 + MPJ_TRY_BOTH);
}
END_TEST

START_TEST(kinds_and_sizes_are_told_apart)
{
  static struct mpj_tried_table table;
  struct mpj_tried *t = mpj_tried_at(&table, 0, 65536);
  ck_assert_ptr_eq(t, mpj_tried_at(&table, 0, 131071));
  ck_assert_ptr_ne(t, mpj_tried_at(&table, 0, 131072));
  ck_assert_ptr_ne(t, mpj_tried_at(&table, 0, 65535));
  ck_assert_ptr_ne(t, mpj_tried_at(&table, 1, 65536));
  ck_assert_ptr_ne(t, mpj_tried_at(&table, 4, 65536));
  ck_assert_ptr_ne(mpj_tried_at(&table, 0, 1 << 20), mpj_tried_at(&table, 0, MPJ_TRIED_MOST));
  ck_assert_ptr_eq(mpj_tried_at(&table, 0, 1), mpj_tried_at(&table, 0, 8192));
  ck_assert_ptr_eq(mpj_tried_at(&table, 11, INT64_MAX), &table.of[11][MPJ_TRIED_SIZES - 1]);
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "net/tried", few_transfers_go_as_is_likely, fastest_way_is_found_and_the_others_cost_little,
      fastest_way_is_found_where_every_so_many_th_operation_is_such_a_call,
      way_that_cannot_carry_it_is_never_taken, another_way_is_taken_when_it_has_become_faster,
      what_was_held_up_now_and_then_is_not_taken_for_slow,
      both_sides_try_the_same_way_at_the_same_turn,
      way_of_the_other_side_is_taken_but_at_the_turns_of_a_trial, much_worse_ways_are_tried_rarely,
      refused_way_is_not_taken_and_costs_little, larger_data_begins_with_what_was_best_for_smaller,
      exchange_lasts_until_the_next_one_begins, kinds_and_sizes_are_told_apart);
}
