/* This file tests who is in a communicator: the numbers, the way back, and what they take. */
#include "coll/comm/members.h"

#include "base/memory.h"
#include "base/suite.h"

enum { MOST = 1000, OUTSIDE = 50 };

/* As many places as the numbers reach, and a few more. */
static void check(int n, const int world[])
{
  struct mpj_members *m = mpj_members_make(n, world);
  static int rank_of[MOST + OUTSIDE];
  ck_assert_ptr_nonnull(m);
  for (int i = 0; i < MOST + OUTSIDE; i++)
    rank_of[i] = -1;
  for (int i = 0; i < n; i++)
    rank_of[world[i]] = i;
  int wrong = 0;
  for (int again = 0; again < 2; again++)
    for (int i = 0; i < MOST + OUTSIDE; i++)
      wrong += mpj_members_rank(m, i) != rank_of[i];
  for (int i = 0; i < n; i++)
    wrong += mpj_members_world(m, i) != world[i];
  ck_assert_int_eq(wrong, 0);
  mpj_members_release(m);
}

START_TEST(numbers_lead_to_ranks_and_back)
{
  static int world[MOST];
  for (int n = 1; n <= MOST; n += 1 + n / 2)
    for (int stride = -3; stride <= 3; stride++) {
      if (stride == 0 || (n - 1) * (stride < 0 ? -stride : stride) >= MOST) continue;
      for (int i = 0; i < n; i++)
        world[i] = (stride < 0 ? MOST - 1 : 0) + i * stride;
      check(n, world);
      if (n < 3) continue;
      const int kept = world[n / 2]; /* one that lies elsewhere */
      world[n / 2] = MOST + 7;
      check(n, world);
      world[n / 2] = kept;
    }
}
END_TEST

START_TEST(members_that_lie_evenly_take_no_memory_for_each)
{
  static int world[MOST];
  for (int i = 0; i < MOST; i++)
    world[i] = MOST - i;
  mpj_memory_meter_start();
  struct mpj_members *even = mpj_members_make(MOST, world);
  ck_assert_int_le(mpj_memory_meter_stop().now, 128);
  world[1] = 0;
  mpj_memory_meter_start();
  struct mpj_members *uneven = mpj_members_make(MOST, world), *same = mpj_members_share(uneven);
  ck_assert_int_le(mpj_memory_meter_stop().now, 128 + 4 * MOST + 16);
  mpj_members_release(even);
  mpj_members_release(uneven);
  ck_assert_int_eq(mpj_members_rank(same, MOST - 5), 5);
  mpj_members_release(same);
}
END_TEST

START_TEST(without_memory_there_is_none_and_the_way_back_is_searched)
{
  const int world[] = {4, 9, 1, 7};
  const long outstanding = mpj_memory_outstanding();
  for (long successes = 0; successes < 2; successes++) {
    mpj_memory_fail_after(successes);
    ck_assert_ptr_null(mpj_members_make(4, world));
  }
  mpj_memory_fail_after(-1);
  struct mpj_members *m = mpj_members_make(4, world);
  mpj_memory_fail_after(0);
  for (int i = 0; i < 4; i++)
    ck_assert_int_eq(mpj_members_rank(m, world[i]), i);
  mpj_memory_fail_after(-1);
  mpj_members_release(m);
  ck_assert_int_eq(mpj_memory_outstanding(), outstanding);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/members", numbers_lead_to_ranks_and_back,
                   members_that_lie_evenly_take_no_memory_for_each,
                   without_memory_there_is_none_and_the_way_back_is_searched);
}
