/* This file tests the choice of a processor level. */
#include "base/machine/cpu.h"

#include <stdlib.h>

#include "base/child.h"
#include "base/suite.h"

/* The level that a process with this MPJ_CPU gets, and what it says. */
static struct child_outcome level_with(char *variable)
{
  return run_child("level", (char *[]){variable, NULL});
}

START_TEST(without_a_wish_the_best_level_is_used)
{
  ck_assert_int_eq(level_with("MPJ_CPU=auto").status, (int)mpj_cpu_best());
}
END_TEST

START_TEST(a_lower_level_may_be_named)
{
  ck_assert_int_eq(level_with("MPJ_CPU=portable").status, MPJ_CPU_PORTABLE);
  if (mpj_cpu_best() >= MPJ_CPU_AVX2)
    ck_assert_int_eq(level_with("MPJ_CPU=avx2").status, MPJ_CPU_AVX2);
}
END_TEST

START_TEST(a_level_that_the_processor_lacks_is_a_warning)
{
  struct child_outcome outcome = level_with("MPJ_CPU=avx512");
  ck_assert_int_eq(outcome.status, (int)mpj_cpu_best());
  bool lacking = mpj_cpu_best() < MPJ_CPU_AVX512;
  ck_assert_int_eq(strstr(outcome.text, "MPJ_CPU") != NULL, lacking);
}
END_TEST

START_TEST(gathers_are_for_the_highest_level)
{
  if (mpj_cpu_gathers()) ck_assert_int_eq(mpj_cpu_level(), MPJ_CPU_AVX512);
}
END_TEST

int main(int argc, char **argv)
{
  (void)argv;
  if (argc > 1) return (int)mpj_cpu_level();
  return RUN_SUITE("base/cpu", without_a_wish_the_best_level_is_used, a_lower_level_may_be_named,
                   a_level_that_the_processor_lacks_is_a_warning,
                   gathers_are_for_the_highest_level);
}
