/* This file tests sequences: every form, against the plain array, through every
 * way of reading, with every kernel. */
#include "types/sequence/sequence.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/suite.h"
#include "types/layout/period.h"
#include "types/made.h"
#include "types/random_type.h"
#include "types/sequence/sequence_forms.h"
#include "types/sequence/unpack.h"

enum { MOST = 1500 };

static struct mpj_sequence *sequence_of(MPJ_Count n, const MPJ_Count values[])
{
  struct mpj_series series = mpj_series_of(n, values, 1);
  struct mpj_sequence *s;
  must(mpj_sequence_make(&series, &s));
  return s;
}

/* Stretches of all lengths up to a frame and a bit, at random places. */
static void check_stretches(struct mpj_random *rng, const struct mpj_sequence *s, MPJ_Count n,
                            const MPJ_Count values[])
{
  MPJ_Count out[MOST];
  for (MPJ_Count m = 1; m <= n && m <= 140; m++) {
    MPJ_Count first = mpj_random_in(rng, 0, n - m);
    mpj_sequence_read(s, first, m, out);
    ck_assert_mem_eq(out, values + first, (size_t)m * sizeof out[0]);
  }
  mpj_sequence_read(s, 0, n, out);
  ck_assert_mem_eq(out, values, (size_t)n * sizeof out[0]);
}

static void check_window(struct mpj_random *rng, struct mpj_sequence *s, MPJ_Count n,
                         const MPJ_Count values[])
{
  MPJ_Count first = mpj_random_in(rng, 0, n - 1), m = mpj_random_in(rng, 1, n - first);
  MPJ_Count shifted[MOST];
  struct mpj_sequence *once, *twice;
  must(mpj_sequence_window(s, first, m, values[first], &once));
  must(mpj_sequence_window(once, m / 2, m - m / 2, 7, &twice));
  for (MPJ_Count k = 0; k < m; k++)
    shifted[k] = mpj_wrap_sub(values[first + k], values[first]);
  check_stretches(rng, once, m, shifted);
  for (MPJ_Count k = m / 2; k < m; k++)
    if (mpj_sequence_at(twice, k - m / 2) != mpj_wrap_sub(shifted[k], 7))
      ck_abort_msg("value %ld of a window in a window", (long)k);
  mpj_sequence_release(once);
  mpj_sequence_release(twice);
}

/* The values come back, equal arrays are equal objects, and another is not. */
static void check(struct mpj_random *rng, MPJ_Count n, MPJ_Count values[])
{
  struct mpj_sequence *s = sequence_of(n, values), *again = sequence_of(n, values);
  ck_assert_int_eq(mpj_sequence_length(s), n);
  for (MPJ_Count i = 0; i < n; i++)
    if (mpj_sequence_at(s, i) != values[i]) ck_abort_msg("value %ld of %ld", (long)i, (long)n);
  check_stretches(rng, s, n, values);
  check_window(rng, s, n, values);
  ck_assert(mpj_sequence_equal(s, again));
  ck_assert_uint_eq(mpj_sequence_hash(s), mpj_sequence_hash(again));
  mpj_sequence_release(again);
  MPJ_Count i = mpj_random_in(rng, 0, n - 1);
  values[i] = mpj_wrap_muladd(1, values[i], 1);
  again = sequence_of(n, values);
  ck_assert(!mpj_sequence_equal(s, again));
  mpj_sequence_release(again);
  mpj_sequence_release(s);
}

/* n numbers of one of the kinds of list that types are made of. */
static MPJ_Count draw(struct mpj_random *rng, MPJ_Count v[])
{
  int kind = (int)mpj_random_in(rng, 0, 7), bits = (int)mpj_random_in(rng, 0, 62);
  MPJ_Count n = mpj_random_in(rng, 1, MOST), period = mpj_random_in(rng, 1, 40), at = 0;
  int64_t range = INT64_C(1) << bits, gap = mpj_random_in(rng, -100, 100);
  for (MPJ_Count i = 0; i < n; i++) {
    if (kind == 0) v[i] = (MPJ_Count)mpj_random_next(rng); /* anything */
    if (kind == 1) v[i] = mpj_random_in(rng, -range, range);
    if (kind == 2) v[i] = gap * i;
    if (kind == 3) v[i] = i < period ? mpj_random_in(rng, 0, range) : v[i - period] + gap;
    if (kind == 4) v[i] = i % period == 0 ? (at = mpj_random_in(rng, 0, 100)) : v[i - 1] + at;
    if (kind == 5) v[i] = (at += mpj_random_in(rng, 1, 4096)) * 8;
    if (kind == 6) v[i] = INT64_C(1000003) << mpj_random_in(rng, 0, 9);
    if (kind == 7) v[i] = i < 2 * period ? i / period * 7 : v[i - 2 * period] + 1000;
  }
  return n;
}

START_TEST(every_form_gives_the_values_back)
{
  struct mpj_random rng = {7};
  MPJ_Count values[MOST];
  mpj_unpack_use(_i);
  for (int round = 0; round < 600; round++)
    check(&rng, draw(&rng, values), values);
  mpj_unpack_use(mpj_unpack_kernels() - 1);
  ck_assert_int_eq(mpj_memory_outstanding(), 0);
}
END_TEST

START_TEST(few_values_are_a_line_or_kept_as_they_are)
{
  struct mpj_random rng = {12};
  for (int round = 0; round < 3000; round++) {
    MPJ_Count values[MPJ_SEQUENCE_FEW_MOST + 2],
        n = mpj_random_in(&rng, 1, MPJ_SEQUENCE_FEW_MOST + 2);
    const MPJ_Count step = mpj_random_in(&rng, -5, 5);
    const bool line = round % 2 == 0;
    for (MPJ_Count i = 0; i < n; i++)
      values[i] = line ? 7 + i * step : (MPJ_Count)mpj_random_next(&rng);
    struct mpj_sequence *s = sequence_of(n, values);
    if (line || n <= 2) ck_assert_int_eq(s->form, MPJ_SEQUENCE_LINE);
    if (!line && n > 2) ck_assert_int_eq(s->form == MPJ_SEQUENCE_FEW, n <= MPJ_SEQUENCE_FEW_MOST);
    mpj_sequence_release(s);
    check(&rng, n, values);
  }
  ck_assert_int_eq(mpj_memory_outstanding(), 0);
}
END_TEST

/* All widths, as the fields of one frame, by every kernel. */
START_TEST(kernels_agree_for_every_width)
{
  struct mpj_random rng = {8};
  unsigned char bits[128 * 8 + 8];
  MPJ_Count out[128];
  for (size_t i = 0; i < sizeof bits; i++)
    bits[i] = (unsigned char)mpj_random_next(&rng);
  for (unsigned width = 0; width <= 57; width++) {
    struct mpj_fields f = {bits, bits + sizeof bits, width < 57 ? width : 64, width % 4, 99, 12345};
    for (int kernel = 0; kernel < mpj_unpack_kernels(); kernel++) {
      mpj_unpack_use(kernel);
      mpj_unpack(&f, kernel, 128 - kernel, out);
      for (MPJ_Count k = kernel; k < 128; k++)
        ck_assert_int_eq(out[k - kernel], mpj_field_value(&f, (uint64_t)k));
    }
  }
  mpj_unpack_use(mpj_unpack_kernels() - 1);
}
END_TEST

/* The same of near ones, with no byte to read behind the last field's padding. */
START_TEST(near_kernels_agree_for_every_width_and_end)
{
  struct mpj_random rng = {9};
  int32_t out[128 + MPJ_NEAR_SPARE];
  for (unsigned round = 0; round < 8 * (MPJ_NEAR_WIDTH + 1); round++) {
    const unsigned width = round / 8;
    const MPJ_Count n = mpj_random_in(&rng, 1, 128), first = mpj_random_in(&rng, 0, n - 1);
    const size_t bytes = ((size_t)n * width + 7) / 8 + 8;
    unsigned char *bits = malloc(bytes);
    for (size_t i = 0; i < bytes; i++)
      bits[i] = (unsigned char)mpj_random_next(&rng);
    const struct mpj_fields f = {bits, bits + bytes, width, width % 4, 99, (uint64_t)-1234};
    for (int kernel = 0; kernel < mpj_unpack_kernels(); kernel++) {
      mpj_unpack_use(kernel);
      const MPJ_Count from = first % 2 ? first : first / 8 * 8;
      mpj_unpack_near(&f, from, n - from, 99 << f.shift, out);
      for (MPJ_Count i = from; i < n; i++)
        ck_assert_int_eq(out[i - from], mpj_field_value(&f, (uint64_t)i) - (99 << f.shift));
    }
    free(bits);
  }
  mpj_unpack_use(mpj_unpack_kernels() - 1);
}
END_TEST

/* Stretches of any form, over several frames too, by every kernel: what is near is what is read. */
START_TEST(near_values_are_those_that_are_read)
{
  struct mpj_random rng = {10};
  MPJ_Count values[MOST], read[MPJ_NEAR_MOST], origin, most;
  int32_t near[MPJ_NEAR_MOST + MPJ_NEAR_SPARE];
  int found = 0;
  mpj_unpack_use(_i);
  for (int round = 0; round < 200; round++) {
    const MPJ_Count length = draw(&rng, values), first = mpj_random_in(&rng, 0, length - 1);
    const MPJ_Count left = length - first, n = left < MPJ_NEAR_MOST ? left : MPJ_NEAR_MOST;
    struct mpj_sequence *s = sequence_of(length, values);
    mpj_sequence_read(s, first, n, read);
    if (mpj_sequence_near(s, first, n, &origin, near, &most)) {
      found++;
      for (MPJ_Count k = 0; k < n; k++) {
        ck_assert_int_eq(read[k], origin + near[k]);
        ck_assert(near[k] <= most && (most > 0 || near[k] == 0));
      }
    }
    mpj_sequence_release(s);
  }
  ck_assert_int_gt(found, 30);
  mpj_unpack_use(mpj_unpack_kernels() - 1);
}
END_TEST

static enum mpj_sequence_form form_of(MPJ_Count n, const MPJ_Count values[], size_t *bytes)
{
  struct mpj_sequence *s = sequence_of(n, values);
  enum mpj_sequence_form form = s->form;
  *bytes = 0;
  for (const struct mpj_sequence *i = s; i; i = mpj_sequence_inner(i))
    *bytes += mpj_sequence_bytes(i);
  mpj_sequence_release(s);
  return form;
}

START_TEST(regular_arrays_take_constant_memory)
{
  enum { N = 1000000 };
  MPJ_Count *v = malloc(N * sizeof *v);
  size_t bytes;
  ck_assert_ptr_nonnull(v);
  for (MPJ_Count i = 0; i < N; i++)
    v[i] = 24 * i;
  ck_assert_int_eq(form_of(N, v, &bytes), MPJ_SEQUENCE_LINE);
  ck_assert_uint_le(bytes, 128);
  for (MPJ_Count i = 0; i < N; i++)
    v[i] = i / 100000 * 99999999 + i % 100000 / 100 * 5000 + i % 100 * 16;
  ck_assert_int_eq(form_of(N, v, &bytes), MPJ_SEQUENCE_PERIODS);
  ck_assert_uint_le(bytes, 384);
  for (MPJ_Count i = 0; i < N; i++)
    v[i] = i < N / 3 ? 9 * i : 8 * i + N / 3;
  ck_assert_int_eq(form_of(N, v, &bytes), MPJ_SEQUENCE_LINES);
  ck_assert_uint_le(bytes, 256);
  free(v);
}
END_TEST

START_TEST(irregular_arrays_take_two_bytes_a_value)
{
  enum { N = 100000 };
  struct mpj_random rng = {9};
  MPJ_Count *v = malloc(N * sizeof *v), at = 0;
  size_t bytes;
  ck_assert_ptr_nonnull(v);
  for (MPJ_Count i = 0; i < N; i++)
    v[i] = (at += mpj_random_in(&rng, 0, 4095)) * 8;
  ck_assert_int_eq(form_of(N, v, &bytes), MPJ_SEQUENCE_FRAMES);
  ck_assert_uint_le(bytes, N * 2);
  for (MPJ_Count i = 0; i < N; i++)
    v[i] = INT64_C(1) << (17 * mpj_random_in(&rng, 0, 3));
  ck_assert_int_eq(form_of(N, v, &bytes), MPJ_SEQUENCE_TABLE);
  ck_assert_uint_le(bytes, N * 2 / 5);
  free(v);
}
END_TEST

START_TEST(values_near_a_line_take_the_bits_of_what_is_left)
{
  enum { FRAMES = 100, N = FRAMES * MPJ_FRAME, SLOPE = 1000 };
  struct mpj_random rng = {12};
  MPJ_Count *v = malloc(N * sizeof *v);
  size_t bytes;
  ck_assert_ptr_nonnull(v);
  for (MPJ_Count i = 0; i < N; i++) { /* a frame ends no lower than it begins */
    const MPJ_Count k = i % MPJ_FRAME;
    v[i] = SLOPE * i + (k == 0 ? 0 : k == MPJ_FRAME - 1 ? 7 : mpj_random_in(&rng, 0, 7));
  }
  ck_assert_int_eq(form_of(N, v, &bytes), MPJ_SEQUENCE_FRAMES);
  ck_assert_uint_le(bytes, N * 3 / 8 + (FRAMES + 1) * sizeof(struct mpj_frame) + 256);
  free(v);
}
END_TEST

/* The smallest period of letters, by trying all. */
static MPJ_Count slow_period(MPJ_Count n, const MPJ_Count displs[], const MPJ_Count lens[])
{
  for (MPJ_Count p = 2; p <= n / 2; p++) {
    MPJ_Count i = p;
    while (i < n && displs[i] - displs[i - p] == displs[p] - displs[0] && lens[i] == lens[i - p])
      i++;
    if (i == n) return p;
  }
  return n;
}

START_TEST(the_smallest_period_is_found)
{
  struct mpj_random rng = {10};
  MPJ_Count displs[200], lens[200];
  int found = 0;
  for (int round = 0; round < 30000; round++) {
    MPJ_Count n = mpj_random_in(&rng, 1, 60), p = mpj_random_in(&rng, 1, 12), letters;
    letters = mpj_random_in(&rng, 1, 3);
    MPJ_Count at = 0;
    for (MPJ_Count i = 0; i < n; i++) {
      displs[i] = at;
      lens[i] = i < p ? mpj_random_in(&rng, 1, letters) : lens[i - p];
      at += i < p ? mpj_random_in(&rng, 1, 2) : displs[i - p + 1] - displs[i - p];
    }
    if (round % 5 == 0) lens[mpj_random_in(&rng, 0, n - 1)]++;
    struct mpj_series d = mpj_series_of(n, displs, 1), l = mpj_series_of(n, lens, 1);
    MPJ_Count expected = slow_period(n, displs, lens), got = mpj_period(&d, &l);
    bool letter = true; /* a single one is not looked into */
    for (MPJ_Count i = 1; i + 1 < n; i++)
      letter = letter && lens[i] == lens[0] && displs[i + 1] - displs[i] == displs[1];
    if (got != (letter ? n : expected))
      ck_abort_msg("period %ld, not %ld", (long)got, (long)expected);
    found += got < n;
  }
  ck_assert_int_gt(found, 5000);
}
END_TEST

START_TEST(a_failed_allocation_leaks_nothing)
{
  struct mpj_random rng = {11};
  MPJ_Count values[MOST];
  for (int round = 0; round < 60; round++) {
    struct mpj_series series = mpj_series_of(draw(&rng, values), values, 1);
    int status = MPJ_ERR_NO_MEM;
    for (long successes = 0; status == MPJ_ERR_NO_MEM; successes++) {
      struct mpj_sequence *s;
      mpj_memory_fail_after(successes);
      status = mpj_sequence_make(&series, &s);
      mpj_memory_fail_after(-1);
      if (status == MPJ_SUCCESS) mpj_sequence_release(s);
      ck_assert_int_eq(mpj_memory_outstanding(), 0);
    }
    ck_assert_int_eq(status, MPJ_SUCCESS);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("sequence");
  TCase *tc = tcase_create("sequence");
  tcase_add_loop_test(tc, every_form_gives_the_values_back, 0, mpj_unpack_kernels());
  tcase_add_test(tc, few_values_are_a_line_or_kept_as_they_are);
  tcase_add_test(tc, kernels_agree_for_every_width);
  tcase_add_test(tc, near_kernels_agree_for_every_width_and_end);
  tcase_add_loop_test(tc, near_values_are_those_that_are_read, 0, mpj_unpack_kernels());
  tcase_add_test(tc, regular_arrays_take_constant_memory);
  tcase_add_test(tc, irregular_arrays_take_two_bytes_a_value);
  tcase_add_test(tc, values_near_a_line_take_the_bits_of_what_is_left);
  tcase_add_test(tc, the_smallest_period_is_found);
  tcase_add_test(tc, a_failed_allocation_leaks_nothing);
  suite_add_tcase(suite, tc);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
