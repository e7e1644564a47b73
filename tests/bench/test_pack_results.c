/* This file tests the store of packing times and its summaries. */
#include "driver/pack_results.h"

#include "base/suite.h"

static void add(struct pack_results *r, const char *name, enum pack_size size,
                enum pack_engine_id engine, double us, double hand_us)
{
  struct pack_times *t = pack_results_at(r, PACK_ROW_PACK, name, size, 1000, engine);
  ck_assert_ptr_nonnull(t);
  pack_series_add(&t->engine, us, us);
  pack_series_add(&t->hand, hand_us, hand_us);
}

START_TEST(rounds_of_one_case_meet_and_the_best_counts)
{
  struct pack_results r;
  ck_assert(pack_results_open(&r));
  add(&r, "column", PACK_S, PACK_BY_MPJ, 3, 4);
  add(&r, "column", PACK_S, PACK_BY_MPJ, 2, 5);
  add(&r, "column", PACK_S, PACK_BY_MPICH, 8, 4);
  ck_assert_int_eq(r.n, 1);
  ck_assert_int_eq(r.all[0].times[PACK_BY_MPJ].engine.n, 2);
  ck_assert_double_eq(pack_ratio(&r.all[0].times[PACK_BY_MPJ]), 2);
  ck_assert_double_eq(pack_ratio(&r.all[0].times[PACK_BY_MPICH]), .5);
  ck_assert_double_eq(pack_ratio(&r.all[0].times[PACK_BY_OPENMPI]), 0);
  pack_results_close(&r);
}
END_TEST

START_TEST(sizes_and_names_make_cases_of_their_own)
{
  struct pack_results r;
  ck_assert(pack_results_open(&r));
  add(&r, "column", PACK_S, PACK_BY_MPJ, 1, 1);
  add(&r, "column", PACK_M, PACK_BY_MPJ, 1, 1);
  add(&r, "index4", PACK_S, PACK_BY_MPJ, 1, 1);
  ck_assert_int_eq(r.n, 3);
  pack_results_close(&r);
}
END_TEST

START_TEST(more_cases_than_there_is_room_for_are_refused)
{
  struct pack_results r;
  char name[PACK_NAME_BYTES];
  ck_assert(pack_results_open(&r));
  for (int i = 0; i < PACK_CASES_MOST; i++) {
    snprintf(name, sizeof name, "case %d", i);
    ck_assert_ptr_nonnull(pack_results_at(&r, PACK_ROW_PACK, name, PACK_S, 1, PACK_BY_MPJ));
  }
  ck_assert_ptr_null(pack_results_at(&r, PACK_ROW_PACK, "more", PACK_S, 1, PACK_BY_MPJ));
  ck_assert_ptr_nonnull(pack_results_at(&r, PACK_ROW_PACK, "case 0", PACK_S, 1, PACK_BY_MPJ));
  pack_results_close(&r);
}
END_TEST

START_TEST(means_are_geometric_and_the_worst_is_named)
{
  struct pack_results r;
  ck_assert(pack_results_open(&r));
  add(&r, "column", PACK_S, PACK_BY_MPJ, 1, 4);
  add(&r, "index4", PACK_S, PACK_BY_MPJ, 4, 1);
  add(&r, "index8", PACK_S, PACK_BY_MPJ, 1, 8);
  add(&r, "index8", PACK_M, PACK_BY_MPJ, 9, 1); /* another size */
  struct pack_summary s = pack_summarise(&r, PACK_ROW_PACK, PACK_S, PACK_BY_MPJ);
  ck_assert_int_eq(s.n, 3);
  ck_assert_double_eq_tol(s.mean, 2, 1e-12);
  ck_assert_double_eq(s.worst, .25);
  ck_assert_str_eq(s.worst_name, "index4");
  ck_assert_int_eq(pack_summarise(&r, PACK_ROW_UNPACK, PACK_S, PACK_BY_MPJ).n, 0);
  pack_results_close(&r);
}
END_TEST

/* Its times are in those rounds in which our own are. */
START_TEST(another_build_is_compared_round_by_round)
{
  struct pack_results r;
  ck_assert(pack_results_open(&r));
  for (int round = 1; round <= 7; round++) {
    add(&r, "column", PACK_S, PACK_BY_MPJ, round, 1);
    add(&r, "column", PACK_S, PACK_BY_OTHER, (round == 3 ? 9 : 2) * round, 1);
  }
  add(&r, "index4", PACK_S, PACK_BY_MPJ, 4, 1);
  add(&r, "index4", PACK_S, PACK_BY_OTHER, 2, 1);
  add(&r, "index8", PACK_S, PACK_BY_MPJ, 4, 1);
  const struct bench_ratio ratio = pack_compare(&r.all[0]);
  ck_assert_double_eq(ratio.median, 2);
  ck_assert(ratio.bounded && ratio.low == 2 && ratio.high == 9);
  ck_assert(!pack_compare(&r.all[1]).bounded && !pack_compare(&r.all[2]).known);
  const struct pack_summary s = pack_summarise_other(&r, PACK_ROW_PACK, PACK_S);
  ck_assert_int_eq(s.n, 2);
  ck_assert_double_eq_tol(s.mean, 1, 1e-12);
  ck_assert_str_eq(s.worst_name, "index4");
  pack_results_close(&r);
}
END_TEST

START_TEST(medians_do_not_depend_on_order)
{
  struct pack_series s = {0};
  ck_assert_double_eq(pack_series_median(&s), 0);
  pack_series_add(&s, 1, 5);
  pack_series_add(&s, 1, 1);
  pack_series_add(&s, 1, 9);
  ck_assert_double_eq(pack_series_median(&s), 5);
  pack_series_add(&s, 1, 7);
  ck_assert_double_eq(pack_series_median(&s), 6);
}
END_TEST

int main(void)
{
  return RUN_SUITE("bench_pack_results", rounds_of_one_case_meet_and_the_best_counts,
                   sizes_and_names_make_cases_of_their_own,
                   more_cases_than_there_is_room_for_are_refused,
                   means_are_geometric_and_the_worst_is_named,
                   another_build_is_compared_round_by_round, medians_do_not_depend_on_order);
}
