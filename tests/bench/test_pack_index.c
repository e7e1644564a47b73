/* This file tests the irregular indices. */
#include "pack/pattern.h"

#include "base/suite.h"

enum { COUNT = 1000, PLACES = 4000 };

static void check_distinct(const int *index, long count, long places)
{
  bool *seen = calloc((size_t)places, sizeof *seen);
  ck_assert_ptr_nonnull(seen);
  for (long i = 0; i < count; i++) {
    ck_assert(0 <= index[i] && index[i] < places);
    ck_assert(!seen[index[i]]);
    seen[index[i]] = true;
  }
  free(seen);
}

START_TEST(rising_indices_rise_irregularly)
{
  int *index = pack_index_rising(COUNT, PLACES), steps[2] = {0};
  check_distinct(index, COUNT, PLACES);
  for (long i = 1; i < COUNT; i++) {
    ck_assert_int_lt(index[i - 1], index[i]);
    steps[index[i] - index[i - 1] == 1]++;
  }
  ck_assert(steps[0] > steps[1] && steps[1] > 0); /* some neighbours, not most */
  free(index);
}
END_TEST

START_TEST(shuffled_indices_do_not_rise)
{
  int *index = pack_index_shuffled(COUNT, PLACES), falls = 0;
  check_distinct(index, COUNT, PLACES);
  for (long i = 1; i < COUNT; i++)
    falls += index[i] < index[i - 1];
  ck_assert(falls > COUNT / 4 && falls < 3 * COUNT / 4);
  free(index);
}
END_TEST

START_TEST(all_places_can_be_taken)
{
  int *all = pack_index_shuffled(COUNT, COUNT), *dense = pack_index_rising(COUNT, COUNT);
  check_distinct(all, COUNT, COUNT);
  check_distinct(dense, COUNT, COUNT);
  free(dense);
  free(all);
}
END_TEST

int main(void)
{
  return RUN_SUITE("bench_pack_index", rising_indices_rise_irregularly,
                   shuffled_indices_do_not_rise, all_places_can_be_taken);
}
