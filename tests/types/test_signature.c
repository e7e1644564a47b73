/* This file tests signatures against the polynomial evaluated term by term. */
#include "types/signature.h"

#include "base/suite.h"
#include "types/basic.h"
#include "types/random_type.h"

enum { LENGTH = 300 };

static struct mpj_signature of_sequence(const int basics[], int n)
{
  struct mpj_signature s = mpj_signature_empty;
  for (int i = 0; i < n; i++)
    s = mpj_signature_join(s, mpj_signature_of_basic(basics[i]));
  return s;
}

static void draw(struct mpj_random *rng, int basics[], int n)
{
  for (int i = 0; i < n; i++)
    basics[i] = (int)mpj_random_in(rng, 0, MPJ_BASIC_COUNT - 1);
}

/* a * b modulo 2^61 - 1, by doubling. */
static uint64_t product(uint64_t a, uint64_t b)
{
  const uint64_t modulus = (UINT64_C(1) << 61) - 1;
  uint64_t sum = 0;
  for (; b; b >>= 1) {
    if (b & 1) sum = (sum + a) % modulus;
    a = 2 * a % modulus;
  }
  return sum;
}

START_TEST(hash_is_the_polynomial_in_the_power_of_one_element)
{
  const uint64_t modulus = (UINT64_C(1) << 61) - 1;
  struct mpj_random rng = {11};
  int basics[LENGTH];
  uint64_t x = mpj_signature_of_basic(0).power, hash = 0, power = 1;
  draw(&rng, basics, LENGTH);
  for (int i = 0; i < LENGTH; i++) {
    hash = (product(hash, x) + mpj_basics[basics[i]].letter) % modulus;
    power = product(power, x);
  }
  struct mpj_signature s = of_sequence(basics, LENGTH);
  ck_assert_uint_eq(s.hash, hash);
  ck_assert_uint_eq(s.power, power);
  ck_assert_int_eq(s.elements, LENGTH);
}
END_TEST

START_TEST(joining_does_not_depend_on_where_a_sequence_is_cut)
{
  struct mpj_random rng = {12};
  int basics[LENGTH];
  draw(&rng, basics, LENGTH);
  struct mpj_signature whole = of_sequence(basics, LENGTH);
  for (int cut = 0; cut <= LENGTH; cut++) {
    struct mpj_signature joined =
        mpj_signature_join(of_sequence(basics, cut), of_sequence(basics + cut, LENGTH - cut));
    ck_assert(mpj_signature_equal(&joined, &whole));
    ck_assert_uint_eq(joined.power, whole.power);
  }
}
END_TEST

START_TEST(repeating_is_joining_many_times)
{
  struct mpj_random rng = {13};
  int basics[7];
  draw(&rng, basics, 7);
  struct mpj_signature one = of_sequence(basics, 7), many = mpj_signature_empty;
  for (MPJ_Count count = 0; count < 100; count++) {
    struct mpj_signature repeated = mpj_signature_repeat(one, count);
    ck_assert(mpj_signature_equal(&repeated, &many));
    ck_assert_uint_eq(repeated.power, many.power);
    many = mpj_signature_join(many, one);
  }
}
END_TEST

START_TEST(repeating_as_often_as_64_bits_hold_does_not_overflow)
{
  struct mpj_signature s = mpj_signature_repeat(mpj_signature_of_basic(0), INT64_MAX);
  ck_assert_int_eq(s.bytes, INT64_MAX);
  ck_assert_int_eq(s.elements, INT64_MAX);
}
END_TEST

START_TEST(letters_are_equal_for_equal_class_and_size_only)
{
  for (int a = 0; a < MPJ_BASIC_COUNT; a++) {
    ck_assert_uint_lt(mpj_basics[a].letter, (UINT64_C(1) << 61) - 1);
    for (int b = 0; b < MPJ_BASIC_COUNT; b++) {
      bool alike =
          mpj_basics[a].class == mpj_basics[b].class && mpj_basics[a].size == mpj_basics[b].size;
      ck_assert_int_eq(mpj_basics[a].letter == mpj_basics[b].letter, alike);
    }
  }
}
END_TEST

START_TEST(order_and_length_change_the_digest)
{
  const int ab[] = {6, 21}, ba[] = {21, 6};
  struct mpj_signature s[] = {of_sequence(ab, 2), of_sequence(ba, 2), of_sequence(ab, 1),
                              mpj_signature_empty};
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      ck_assert_int_eq(mpj_signature_equal(&s[i], &s[j]), i == j);
      ck_assert_int_eq(mpj_signature_digest(&s[i]) == mpj_signature_digest(&s[j]), i == j);
    }
  }
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "signature", hash_is_the_polynomial_in_the_power_of_one_element,
      joining_does_not_depend_on_where_a_sequence_is_cut, repeating_is_joining_many_times,
      repeating_as_often_as_64_bits_hold_does_not_overflow,
      letters_are_equal_for_equal_class_and_size_only, order_and_length_change_the_digest);
}
