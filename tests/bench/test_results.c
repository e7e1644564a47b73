/* This file tests the store of times and its medians. */
#include "driver/results.h"

#include "base/suite.h"

START_TEST(times_of_one_case_meet_in_one_row)
{
  struct bench_results r = {0};
  for (int round = 0; round < 3; round++) {
    ck_assert(bench_results_add(&r, BENCH_MPJ_SHM, "gather", "dependent", 4, 8, round));
    ck_assert(bench_results_add(&r, BENCH_MPICH, "gather", "dependent", 4, 8, round));
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
  ck_assert(bench_results_add(&r, BENCH_MPICH, "gather", "dependent", 4, 8, 1));
  ck_assert(bench_results_add(&r, BENCH_MPICH, "scatter", "dependent", 4, 8, 1));
  ck_assert(bench_results_add(&r, BENCH_MPICH, "gather", "rewritten", 4, 8, 1));
  ck_assert(bench_results_add(&r, BENCH_MPICH, "gather", "dependent", 2, 8, 1));
  ck_assert(bench_results_add(&r, BENCH_MPICH, "gather", "dependent", 4, 16, 1));
  ck_assert_int_eq(r.nrows, 5);
  bench_results_free(&r);
}
END_TEST

START_TEST(rows_beyond_the_first_room_keep_their_order)
{
  enum { ROWS = 300 };
  struct bench_results r = {0};
  for (int i = 0; i < ROWS; i++)
    ck_assert(bench_results_add(&r, BENCH_MPICH, "bcast", "dependent", 2, i, i));
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
  double odd[] = {5, 1, 9}, even[] = {8, 2, 4, 100};
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
                   bandwidth_counts_the_blocks_that_cross);
}
