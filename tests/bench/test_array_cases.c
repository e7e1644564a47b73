/* This file tests how the cases of mpj-bench array lay their data. */
#include "array/array_peer.h"

#include "base/suite.h"

struct array_peer array_peer;

START_TEST(shares_are_those_of_blocks_dealt_in_turn)
{
  for (long n = 0; n < 60; n++)
    for (int nb = 1; nb < 9; nb++)
      for (int of = 1; of < 6; of++) {
        long dealt[6] = {0};
        for (long i = 0; i < n; i++)
          dealt[i / nb % of]++;
        for (int at = 0; at < of; at++)
          ck_assert_int_eq(array_share(n, nb, at, of), dealt[at]);
      }
}
END_TEST

START_TEST(grids_have_all_ranks)
{
  for (int p = 1; p <= 64; p *= 2) {
    int grid[3];
    array_grid(p, grid);
    ck_assert_int_eq(grid[0] * grid[1] * grid[2], p);
    for (int which = 0; which < 2 && p > 1; which++) {
      const struct array_layout l = array_layout_of(&array_cases[0], which, p);
      ck_assert_int_eq(l.prow * l.pcol, p);
    }
  }
}
END_TEST

int main(void)
{
  return RUN_SUITE("bench/array_cases", shares_are_those_of_blocks_dealt_in_turn,
                   grids_have_all_ranks);
}
