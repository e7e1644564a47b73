/* This file tests how many cores the ranks of one machine have together. */
#include "net/boot/occupancy.h"

#include <limits.h>

#include "base/machine/topology.h"
#include "base/suite.h"
#include "net/boot/cards.h"

enum { MOST = 8 };

/* Ranks with these masks of up to 64 processors and no quota. */
static int cores_of(int n, const uint64_t masks[], int quota)
{
  struct mpj_occupancy ranks[MOST];
  const struct mpj_occupancy *at[MOST];
  for (int i = 0; i < n; i++) {
    ranks[i] = (struct mpj_occupancy){
        .cores = __builtin_popcountll(masks[i]), .quota = quota, .cpus = {0, masks[i]}};
    at[i] = &ranks[i];
  }
  return mpj_occupancy_cores(n, at);
}

START_TEST(ranks_with_cores_of_their_own_have_them_all)
{
  ck_assert_int_eq(cores_of(2, (const uint64_t[]){1, 2}, INT_MAX), 2);
  ck_assert_int_eq(cores_of(4, (const uint64_t[]){1, 2, 4, UINT64_C(1) << 63}, INT_MAX), 4);
  ck_assert_int_eq(cores_of(2, (const uint64_t[]){0xff, 0xff}, INT_MAX), 8);
  ck_assert_int_eq(cores_of(2, (const uint64_t[]){0x3, 0xc}, INT_MAX), 4);
}
END_TEST

START_TEST(ranks_that_share_too_few_are_crowded)
{
  ck_assert_int_eq(cores_of(2, (const uint64_t[]){1, 1}, INT_MAX), 1);
  ck_assert_int_eq(cores_of(3, (const uint64_t[]){3, 3, 3}, INT_MAX), 2);
  ck_assert_int_eq(cores_of(3, (const uint64_t[]){1, 1, 0xfe}, INT_MAX), 2); /* 8, but for two */
  ck_assert_int_eq(cores_of(4, (const uint64_t[]){1, 3, 2, 0xff}, INT_MAX), 3);
}
END_TEST

START_TEST(a_quota_binds_them_together)
{
  ck_assert_int_eq(cores_of(2, (const uint64_t[]){1, 2}, 1), 1);
  ck_assert_int_eq(cores_of(4, (const uint64_t[]){0xff, 0xff, 0xff, 0xff}, 3), 3);
  ck_assert_int_eq(cores_of(4, (const uint64_t[]){0xff, 0xff, 0xff, 0xff}, 6), 6);
}
END_TEST

START_TEST(an_unknown_mask_counts_by_its_size)
{
  struct mpj_occupancy known = {.cores = 8, .quota = INT_MAX, .cpus = {0xff}};
  struct mpj_occupancy unknown = {.cores = 2000, .quota = INT_MAX};
  ck_assert_int_eq(mpj_occupancy_cores(2, (const struct mpj_occupancy *[]){&known, &unknown}), 8);
  ck_assert_int_eq(mpj_occupancy_cores(1, (const struct mpj_occupancy *[]){&unknown}), 2000);
}
END_TEST

START_TEST(one_rank_alone_has_what_it_may_use)
{
  struct mpj_occupancy mine;
  mpj_occupancy_mine(&mine);
  ck_assert_int_eq(mine.cores, mpj_usable_cores());
  ck_assert_int_ge(mine.quota, mine.cores);
  ck_assert_int_eq(mpj_occupancy_cores(1, (const struct mpj_occupancy *[]){&mine}), mine.cores);
}
END_TEST

/* Ranks of several machines, each with the processors 0 to cores[i] - 1 of its own. */
static int all_cores(int n, const char *machines, const int cores[])
{
  struct mpj_card cards[MOST] = {0};
  const struct mpj_cards all = {.size = n, .cards = cards};
  for (int i = 0; i < n; i++) {
    cards[i].occupancy = (struct mpj_occupancy){
        .cores = cores[i], .quota = INT_MAX, .cpus = {(UINT64_C(1) << cores[i]) - 1}};
    cards[i].node.machine[0] = machines[i];
  }
  return mpj_cards_all_cores(&all);
}

START_TEST(machines_have_their_cores_together_unless_one_is_crowded)
{
  ck_assert_int_eq(all_cores(4, "aabb", (const int[]){2, 2, 4, 4}), 6);
  ck_assert_int_eq(all_cores(4, "abab", (const int[]){2, 4, 2, 4}), 6);
  ck_assert_int_eq(all_cores(3, "abc", (const int[]){1, 1, 1}), 3);
  ck_assert_int_eq(all_cores(4, "aaab", (const int[]){1, 1, 1, 8}), 3); /* 9, but for three */
  ck_assert_int_eq(all_cores(4, "aaab", (const int[]){1, 1, 1, 2}), 3);
}
END_TEST

int main(void)
{
  return RUN_SUITE("net_occupancy", ranks_with_cores_of_their_own_have_them_all,
                   ranks_that_share_too_few_are_crowded, a_quota_binds_them_together,
                   an_unknown_mask_counts_by_its_size, one_rank_alone_has_what_it_may_use,
                   machines_have_their_cores_together_unless_one_is_crowded);
}
