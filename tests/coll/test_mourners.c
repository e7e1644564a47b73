/* This file tests that a process that is killed is a loss to its communicators
 * only. */
#include <stdio.h>

#include "base/assert.h"
#include "base/suite.h"
#include "tools/launch.h"

START_TEST(communicators_without_the_dead_process_work_on)
{
  static const char *const sizes[] = {"2", "3", "5"};
  for (int i = 0; i < 9; i++) {
    struct launch l;
    char victim[8], after_us[16];
    snprintf(victim, sizeof victim, "%d", i % 3 % atoi(sizes[i / 3]));
    snprintf(after_us, sizeof after_us, "%d", i * 1733 % 9000);
    RUN(&l, "-n", sizes[i / 3], "--timeout", "45", MOURNERS, victim, after_us);
    ck_assert_msg(l.code == 128 + 9 && count_of(l.text, "survived") == atoi(sizes[i / 3]) - 1,
                  "%s ranks, victim %s after %s us: code %d, %s%s", sizes[i / 3], victim, after_us,
                  l.code, l.text, l.errors);
    launch_free(&l);
  }
}
END_TEST

int main(void)
{
  return RUN_SUITE("mourners", communicators_without_the_dead_process_work_on);
}
