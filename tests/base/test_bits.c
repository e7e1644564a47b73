/* This file tests the bit vectors. */
#include "base/bits.h"

#include "base/suite.h"

START_TEST(bits_next_clear_skips_exactly_the_set_run)
{
  for (unsigned from = 0; from < MPJ_BITS_MAX; from++) {
    struct mpj_bits bits = {0};
    for (unsigned i = from; i < MPJ_BITS_MAX; i++) {
      ck_assert_uint_eq(mpj_bits_next_clear(&bits, from), i);
      mpj_bits_set(&bits, i);
    }
    ck_assert_uint_eq(mpj_bits_next_clear(&bits, from), MPJ_BITS_MAX);
    if (from > 0) ck_assert_uint_eq(mpj_bits_next_clear(&bits, 0), 0);
  }
}
END_TEST

START_TEST(bits_set_touches_one_bit)
{
  for (unsigned i = 0; i < MPJ_BITS_MAX; i++) {
    struct mpj_bits bits = {0};
    mpj_bits_set(&bits, i);
    for (unsigned j = 0; j < MPJ_BITS_MAX; j++)
      ck_assert_int_eq(mpj_bits_test(&bits, j), i == j);
  }
}
END_TEST

START_TEST(bits_have_the_room_that_they_begin_with)
{
  const unsigned lengths[] = {1, 255, 257, 1023, 100003};
  struct mpj_bits bits = {0};
  for (unsigned k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    const unsigned n = lengths[k];
    ck_assert(mpj_bits_begin(&bits, n));
    ck_assert_uint_ge(64 * mpj_bits_nwords(&bits), n);
    ck_assert_uint_eq(mpj_bits_next_clear(&bits, 0), 0);
    for (unsigned i = 0; i < n; i++) {
      ck_assert(!mpj_bits_test(&bits, i));
      ck_assert_uint_eq(mpj_bits_next_clear(&bits, i), i);
      mpj_bits_set(&bits, i);
      ck_assert_uint_eq(mpj_bits_next_clear(&bits, i), i + 1);
    }
  }
  mpj_bits_clear(&bits);
  ck_assert_uint_eq(mpj_bits_next_clear(&bits, 0), 0);
  mpj_bits_end(&bits);
  ck_assert_uint_eq(mpj_bits_nwords(&bits), MPJ_BITS_WORDS);
}
END_TEST

START_TEST(bits_reach_further_and_keep_what_is_set)
{
  struct mpj_bits bits = {0};
  for (unsigned n = 1; n < 5000; n++) {
    ck_assert(mpj_bits_reach(&bits, n));
    if (n % 3 == 0) mpj_bits_set(&bits, n - 1);
  }
  for (unsigned n = 1; n < 5000; n++)
    ck_assert(mpj_bits_test(&bits, n - 1) == (n % 3 == 0));
  const unsigned words = mpj_bits_nwords(&bits);
  mpj_memory_fail_after(0);
  const bool reached = mpj_bits_reach(&bits, 64 * words + 1);
  const bool there = mpj_bits_reach(&bits, 64 * words);
  mpj_memory_fail_after(-1);
  ck_assert(!reached && there && mpj_bits_nwords(&bits) == words && mpj_bits_test(&bits, 2));
  mpj_bits_end(&bits);
}
END_TEST

START_TEST(bits_without_memory_stay_as_they_are)
{
  struct mpj_bits bits = {0};
  mpj_bits_set(&bits, 7);
  mpj_memory_fail_after(0);
  const bool large = mpj_bits_begin(&bits, 257);
  const bool small = mpj_bits_begin(&bits, 256);
  mpj_memory_fail_after(-1);
  ck_assert(!large);
  ck_assert(small);
  ck_assert(!mpj_bits_test(&bits, 7));
  mpj_bits_end(&bits);
}
END_TEST

START_TEST(atomic_bits_agree_with_plain_ones_and_clear)
{
  struct mpj_bits plain = {0};
  static struct mpj_atomic_bits shared;
  for (unsigned i = 0; i < MPJ_BITS_MAX; i += 3) {
    mpj_bits_set(&plain, i);
    mpj_atomic_bits_set(&shared, i);
  }
  for (unsigned w = 0; w < MPJ_BITS_WORDS; w++)
    ck_assert_uint_eq(mpj_atomic_bits_load(&shared, w), plain.own[w]);
  mpj_atomic_bits_clear(&shared);
  for (unsigned w = 0; w < MPJ_BITS_WORDS; w++)
    ck_assert_uint_eq(mpj_atomic_bits_load(&shared, w), 0);
}
END_TEST

int main(void)
{
  return RUN_SUITE("base/bits", bits_next_clear_skips_exactly_the_set_run, bits_set_touches_one_bit,
                   bits_have_the_room_that_they_begin_with,
                   bits_reach_further_and_keep_what_is_set, bits_without_memory_stay_as_they_are,
                   atomic_bits_agree_with_plain_ones_and_clear);
}
