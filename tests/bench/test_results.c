/* This file tests the store of times and its medians. */
#include "driver/results.h"

#include "base/suite.h"

START_TEST(times_of_one_case_meet_in_one_row)
{
  struct bench_results r = {0};
  for (int round = 0; round < 3; round++) {
    ck_assert(bench_results_add(&r, BENCH_MPJ_SHM, round, "gather", "dependent", 4, 8, round));
    ck_assert(bench_results_add(&r, BENCH_MPICH, round, "gather", "dependent", 4, 8, round));
  }
  ck_assert_int_eq(r.nrows, 1);
  ck_assert_int_eq(r.rows[0].times[BENCH_MPJ_SHM].n, 3);
  ck_assert_int_eq(r.rows[0].times[BENCH_MPICH].n, 3);
  ck_assert_int_eq(r.rows[0].times[BENCH_OPENMPI].n, 0);
  bench_results_free(&r);
}
END_TEST

START_TEST(whatever_differs_makes_another_row)
{
  struct bench_results r = {0};
  ck_assert(bench_results_add(&r, BENCH_MPICH, 0, "gather", "dependent", 4, 8, 1));
  ck_assert(bench_results_add(&r, BENCH_MPICH, 0, "scatter", "dependent", 4, 8, 1));
  ck_assert(bench_results_add(&r, BENCH_MPICH, 0, "gather", "rewritten", 4, 8, 1));
  ck_assert(bench_results_add(&r, BENCH_MPICH, 0, "gather", "dependent", 2, 8, 1));
  ck_assert(bench_results_add(&r, BENCH_MPICH, 0, "gather", "dependent", 4, 16, 1));
  ck_assert_int_eq(r.nrows, 5);
  bench_results_free(&r);
}
END_TEST

START_TEST(rows_beyond_the_first_room_keep_their_order)
{
  enum { ROWS = 300 };
  struct bench_results r = {0};
  for (int i = 0; i < ROWS; i++)
    ck_assert(bench_results_add(&r, BENCH_MPICH, 0, "bcast", "dependent", 2, i, i));
  ck_assert_int_eq(r.nrows, ROWS);
  for (int i = 0; i < ROWS; i++) {
    ck_assert_int_eq(r.rows[i].bytes, i);
    ck_assert_double_eq(bench_summarise(&r.rows[i].times[BENCH_MPICH]).median, i);
  }
  bench_results_free(&r);
}
END_TEST

START_TEST(median_and_spread_do_not_depend_on_order)
{
  struct bench_time odd[] = {{0, 5}, {1, 1}, {2, 9}}, even[] = {{0, 8}, {1, 2}, {3, 4}, {4, 100}};
  struct bench_summary s = bench_summarise(&(struct bench_times){3, odd});
  ck_assert(s.known);
  ck_assert_double_eq(s.median, 5);
  ck_assert_double_eq(s.least, 1);
  ck_assert_double_eq(s.most, 9);
  s = bench_summarise(&(struct bench_times){4, even});
  ck_assert_double_eq(s.median, 6);
  ck_assert_double_eq(s.least, 2);
  ck_assert_double_eq(s.most, 100);
}
END_TEST

START_TEST(no_times_are_no_summary)
{
  ck_assert(!bench_summarise(&(struct bench_times){0}).known);
}
END_TEST

START_TEST(ratios_are_of_times_of_one_round)
{
  struct bench_time mpj[] = {{0, 1}, {1, 2}, {3, 10}}, peer[] = {{1, 3}, {2, 100}, {3, 5}};
  const struct bench_ratio r =
      bench_compare(&(struct bench_times){3, mpj}, &(struct bench_times){3, peer});
  ck_assert(r.known && !r.bounded);
  ck_assert_double_eq(r.median, 1); /* of 3 / 2 and 5 / 10 */
  ck_assert(!bench_compare(&(struct bench_times){1, mpj}, &(struct bench_times){3, peer}).known);
}
END_TEST

/* The ranks of the sign test's interval, from its table: of 6 the first and last, of 9 the second
 * and eighth, of 20 the sixth and fifteenth. */
START_TEST(interval_leaves_out_what_the_sign_test_does)
{
  static const struct {
    int n, first, last;
  } cases[] = {{6, 1, 6}, {9, 2, 8}, {20, 6, 15}};
  struct bench_time mpj[20], peer[20];
  for (int i = 0; i < 20; i++) {
    mpj[i] = (struct bench_time){i, 1};
    peer[i] = (struct bench_time){i, 1};
  }
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const int n = cases[k].n;
    for (int i = 0; i < n; i++)
      peer[i].us = 1 + (i * 7) % n; /* 1 to n where 7 and n have no common divisor */
    const struct bench_ratio r =
        bench_compare(&(struct bench_times){n, mpj}, &(struct bench_times){n, peer});
    ck_assert(r.bounded);
    ck_assert_double_eq(r.low, cases[k].first);
    ck_assert_double_eq(r.high, cases[k].last);
  }
  ck_assert(!bench_compare(&(struct bench_times){5, mpj}, &(struct bench_times){5, peer}).bounded);
}
END_TEST

START_TEST(bandwidth_counts_the_blocks_that_cross)
{
  struct bench_row row = {.p = 4, .bytes = 1000000};
  ck_assert_double_eq_tol(bench_gbs(&row, 100), 30, 1e-9); /* 3 MB in 100 us */
  ck_assert_double_eq(bench_gbs(&row, 0), 0);
}
END_TEST

int main(void)
{
  return RUN_SUITE("bench_results", times_of_one_case_meet_in_one_row,
                   whatever_differs_makes_another_row, rows_beyond_the_first_room_keep_their_order,
                   median_and_spread_do_not_depend_on_order, no_times_are_no_summary,
                   ratios_are_of_times_of_one_round, interval_leaves_out_what_the_sign_test_does,
                   bandwidth_counts_the_blocks_that_cross);
}
