/* This file tests the timing of subjects in turn. */
#include "pack/measure.h"

#include "base/suite.h"

struct work {
  long runs;
  long steps; /* in one run */
  volatile double sum;
};

static void spin(void *arg)
{
  struct work *w = arg;
  w->runs++;
  for (long i = 0; i < w->steps; i++)
    w->sum += (double)i;
}

START_TEST(more_work_takes_more_time)
{
  struct work little = {.steps = 100}, much = {.steps = 10000};
  struct pack_subject s[] = {{spin, &little, 0, 0}, {spin, &much, 0, 0}};
  pack_measure(s, 2, 0.005);
  ck_assert(s[0].best_us > 0 && s[0].best_us <= s[0].median_us);
  ck_assert(s[1].best_us > 10 * s[0].best_us);
  ck_assert(little.runs > much.runs);
}
END_TEST

START_TEST(nobody_is_passed_over)
{
  struct work w = {.steps = 100};
  struct pack_subject s[] = {{spin, &w, 0, 0}, {NULL, NULL, 0, 0}};
  pack_measure(s, 2, 0.001);
  ck_assert(s[0].best_us > 0);
  ck_assert_double_eq(s[1].best_us, 0);
}
END_TEST

int main(void)
{
  return RUN_SUITE("bench_pack_measure", more_work_takes_more_time, nobody_is_passed_over);
}
