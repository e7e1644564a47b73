/* This file tests where mpjrun's ranks run. */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/suite.h"
#include "tools/launch.h"

enum { RANKS_MOST = 64 };

/* Run n ranks that print the number of processors that they may use. */
static void run(struct launch *l, int n, const char *option)
{
  char ranks[16];
  snprintf(ranks, sizeof ranks, "%d", n);
  ck_assert_int_eq(RUN(l, "-n", ranks, option, "nproc"), 0);
}

/* The processors that this test may use: the same as mpjrun's. */
static int processors(void)
{
  cpu_set_t set;
  ck_assert_int_eq(sched_getaffinity(0, sizeof set, &set), 0);
  return CPU_COUNT(&set);
}

START_TEST(ranks_that_share_processors_stay_on_one)
{
  struct launch l;
  const int n = processors() + 1;
  if (n > RANKS_MOST) return;
  run(&l, n, "--bind");
  ck_assert_int_eq(count_of(l.text, "1\n"), n);
  launch_free(&l);
}
END_TEST

START_TEST(ranks_that_have_one_each_go_where_they_like)
{
  struct launch l;
  char all[32];
  snprintf(all, sizeof all, "%d\n", processors());
  run(&l, 1, "--bind");
  ck_assert_int_eq(count_of(l.text, all), 1);
  launch_free(&l);
}
END_TEST

START_TEST(nobody_is_bound_unasked)
{
  struct launch l;
  char all[32];
  const int n = processors() + 1;
  if (n > RANKS_MOST) return;
  snprintf(all, sizeof all, "%d\n", n - 1);
  run(&l, n, "--label");
  ck_assert_int_eq(count_of(l.text, all), n);
  launch_free(&l);
}
END_TEST

int main(void)
{
  return RUN_SUITE("mpjrun_bind", ranks_that_share_processors_stay_on_one,
                   ranks_that_have_one_each_go_where_they_like, nobody_is_bound_unasked);
}
