/* This file tests the running of commands under a time limit. */
#include "driver/launch.h"

#include "base/suite.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct heard {
  int nlines;
  char last[64];
};

static void hear(void *arg, const char *line)
{
  struct heard *h = arg;
  h->nlines++;
  snprintf(h->last, sizeof h->last, "%s", line);
}

static struct bench_run shell(const char *script, double seconds, struct heard *h)
{
  char *argv[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", (char *)(uintptr_t)script,
                  NULL};
  struct bench_run run;
  *h = (struct heard){0};
  ck_assert_int_eq(bench_launch(argv, seconds, hear, h, &run), 0);
  return run;
}

START_TEST(lines_and_exit_status_come_through)
{
  struct heard h;
  struct bench_run run = shell("echo one; echo two; exit 3", 30, &h);
  ck_assert_int_eq(h.nlines, 2);
  ck_assert_str_eq(h.last, "two");
  ck_assert_int_eq(run.exit_status, 3);
  ck_assert(!run.timed_out);
}
END_TEST

START_TEST(a_line_in_two_writes_is_one_line)
{
  struct heard h;
  shell("printf on; printf 'e\\nhalf'", 30, &h);
  ck_assert_int_eq(h.nlines, 1);
  ck_assert_str_eq(h.last, "one");
}
END_TEST

START_TEST(the_complaint_is_the_first_line_with_letters)
{
  struct heard h;
  struct bench_run run =
      shell("{ echo; echo -----; echo it broke; echo more; } >&2; exit 1", 30, &h);
  ck_assert_str_eq(run.complaint, "it broke");
  ck_assert_int_eq(h.nlines, 0);
}
END_TEST

START_TEST(what_takes_too_long_is_ended)
{
  struct heard h;
  struct bench_run run = shell("echo $$; exec sleep 1000", 0.2, &h);
  ck_assert(run.timed_out);
  ck_assert_int_eq(run.exit_status, 128 + SIGTERM);
  pid_t pid = (pid_t)strtol(h.last, NULL, 10);
  ck_assert_int_gt(pid, 0);
  ck_assert_int_eq(kill(pid, 0), -1);
  ck_assert_int_eq(errno, ESRCH);
}
END_TEST

START_TEST(what_does_not_heed_sigterm_is_killed)
{
  struct heard h;
  struct bench_run run = shell("trap '' TERM; while :; do sleep 1; done", 0.2, &h);
  ck_assert(run.timed_out);
  ck_assert_int_eq(run.exit_status, 128 + SIGKILL);
}
END_TEST

START_TEST(a_program_that_is_not_there_is_a_complaint)
{
  char *argv[] = {(char *)(uintptr_t) "no-such-program-of-mpj", NULL};
  struct heard h = {0};
  struct bench_run run;
  ck_assert_int_eq(bench_launch(argv, 30, hear, &h, &run), 0);
  ck_assert_int_eq(run.exit_status, 127);
  ck_assert(strstr(run.complaint, "no-such-program-of-mpj"));
}
END_TEST

int main(void)
{
  return RUN_SUITE("bench_launch", lines_and_exit_status_come_through,
                   a_line_in_two_writes_is_one_line, the_complaint_is_the_first_line_with_letters,
                   what_takes_too_long_is_ended, what_does_not_heed_sigterm_is_killed,
                   a_program_that_is_not_there_is_a_complaint);
}
