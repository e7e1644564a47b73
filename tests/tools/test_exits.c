/* This file tests what mpjrun makes of the ways in which ranks end. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/suite.h"
#include "tools/launch.h"

#define ABSENT "0"
#define ACTIVE "1"
#define FINALIZED "2"
#define DEAD "3"

static void check_says(const struct launch *l, const char *format, int pid)
{
  char expected[160];
  snprintf(expected, sizeof expected, format, pid);
  ck_assert_msg(count_of(l->errors, expected) == 1, "not once '%s' in: %s", expected, l->errors);
}

START_TEST(ranks_that_exit_with_0_make_a_0)
{
  struct launch l;
  ck_assert_int_eq(RUN(&l, "-n", "64", "true"), 0);
  ck_assert_str_eq(l.errors, "");
  launch_free(&l);
  ck_assert_int_eq(RUN(&l, "-n", "2", ACTS, "attach", "finalize"), 0);
  ck_assert_str_eq(l.errors, "");
  launch_free(&l);
}
END_TEST

START_TEST(the_first_failure_gives_the_code)
{
  struct launch l;
  int code = RUN(&l, "-n", "3", ACTS, "attach", "say", "is", "at", "1", "exit", "7", "all", "await",
                 "1", DEAD, "exit", "9");
  ck_assert_int_eq(code, 7);
  check_says(&l, "mpjrun: rank 1 (pid %d) exited with code 7\n", launch_pid(&l, "is", 1));
  ck_assert_int_eq(count_of(l.errors, "exited with code 9"), 2);
  launch_free(&l);
}
END_TEST

START_TEST(many_failures_are_reported_as_a_number)
{
  struct launch l;
  ck_assert_int_eq(RUN(&l, "-n", "40", "false"), 1);
  ck_assert_int_eq(count_of(l.errors, "exited with code 1\n"), 16);
  check_says(&l, "mpjrun: %d more ranks failed\n", 24);
  ck_assert_int_eq(count_of(l.errors, "\n"), 17);
  launch_free(&l);
}
END_TEST

START_TEST(survivors_see_who_died_and_of_what)
{
  struct launch l;
  int code = RUN(&l, "-n", "3", ACTS, "attach", "say", "is", "at", "2", "raise", "9", "all",
                 "await", "2", DEAD, "cause", "2", "finalize");
  ck_assert_int_eq(code, 128 + SIGKILL);
  ck_assert_int_eq(count_of(l.text, "cause 9\n"), 2);
  check_says(&l, "mpjrun: rank 2 (pid %d) was killed by signal 9 (Killed)\n",
             launch_pid(&l, "is", 2));
  ck_assert_int_eq(count_of(l.errors, "\n"), 1);
  launch_free(&l);
}
END_TEST

START_TEST(an_exit_without_finalize_is_reported_and_marked)
{
  struct launch l;
  int code = RUN(&l, "-n", "2", ACTS, "attach", "say", "is", "at", "0", "exit", "0", "all", "await",
                 "0", DEAD, "finalize");
  ck_assert_int_eq(code, 1);
  check_says(&l, "mpjrun: rank 0 (pid %d) exited without MPJ_Finalize\n", launch_pid(&l, "is", 0));
  launch_free(&l);
}
END_TEST

START_TEST(a_rank_that_never_attached_counts_as_finalized)
{
  struct launch l;
  int code = RUN(&l, "-n", "2", ACTS, "say", "is", "at", "1", "exit", "0", "all", "attach", "await",
                 "1", FINALIZED, "finalize");
  ck_assert_int_eq(code, 0);
  check_says(&l, "mpjrun: rank 1 (pid %d) exited without calling MPJ_Init successfully\n",
             launch_pid(&l, "is", 1));
  ck_assert_int_eq(count_of(l.errors, "\n"), 1);
  launch_free(&l);
}
END_TEST

START_TEST(programs_that_never_attach_are_well)
{
  struct launch l;
  ck_assert_int_eq(RUN(&l, "-n", "3", ACTS, "exit", "0"), 0);
  ck_assert_str_eq(l.errors, "");
  launch_free(&l);
}
END_TEST

START_TEST(a_program_that_cannot_start_is_reported_once)
{
  struct launch l;
  ck_assert_int_eq(RUN(&l, "-n", "4", "/no/such/program"), 127);
  ck_assert_str_eq(l.errors,
                   "mpjrun: cannot start '/no/such/program': No such file or directory\n");
  launch_free(&l);
  ck_assert_int_eq(RUN(&l, "-n", "4", "/dev/null"), 126);
  ck_assert_str_eq(l.errors, "mpjrun: cannot start '/dev/null': Permission denied\n");
  launch_free(&l);
}
END_TEST

/* The shell lives on when the program that attached is killed. */
START_TEST(too_low_a_limit_of_descriptors_is_raised_for_mpjrun_alone_or_refused)
{
  struct launch l;
  static const char *const limits[] = {"ulimit -Sn 20; exec \"$0\" \"$@\"",
                                       "ulimit -n 20; exec \"$0\" \"$@\""};
  for (int hard = 0; hard < 2; hard++) {
    launch_command(&l, -1,
                   (const char *const[]){"sh", "-c", limits[hard], MPJRUN, "-n", "16", "sh", "-c",
                                         "ulimit -Sn", NULL});
    ck_assert_int_eq(launch_end(&l), hard);
    ck_assert_int_eq(count_of(l.text, "20\n"), hard ? 0 : 16);
    ck_assert_str_eq(l.errors, hard ? "mpjrun: 16 ranks need 56 descriptors, and there are 20 "
                                      "(ulimit -n)\n"
                                    : "");
    launch_free(&l);
  }
}
END_TEST

START_TEST(too_low_a_limit_of_files_is_refused)
{
  struct launch l;
  launch_command(&l, -1,
                 (const char *const[]){"sh", "-c", "ulimit -f 100; exec \"$0\" \"$@\"", MPJRUN,
                                       "-n", "4", "echo", NULL});
  ck_assert_int_eq(launch_end(&l), 1);
  ck_assert_uint_eq(l.length, 0);
  ck_assert_ptr_nonnull(strstr(l.errors, "mpjrun: 4 ranks need "));
  ck_assert_ptr_nonnull(strstr(l.errors, " bytes in a file, and there are 51200 (ulimit -f)\n"));
  launch_free(&l);
}
END_TEST

START_TEST(the_death_of_a_grandchild_that_attached_is_noticed)
{
  struct launch l;
  static const char script[] =
      "case $MPJ_RANK in"
      " 0) " ACTS " attach say is await 1 " DEAD " say seen finalize;;"
      " 1) " ACTS " attach say is await 0 " ACTIVE " raise 9; sleep 60;; esac";
  LAUNCH(&l, "-n", "2", "--grace", "0.2", "sh", "-c", script);
  launch_await(&l, "seen", 1);
  launch_end(&l);
  check_says(&l, "mpjrun: rank 1 (pid %d) ended without MPJ_Finalize\n", launch_pid(&l, "is", 1));
  ck_assert_int_eq(l.code, 1);
  launch_free(&l);
}
END_TEST

/* SIGTERM comes before SIGKILL: who catches it says so. */
START_TEST(the_grace_ends_with_sigterm)
{
  struct launch l;
  double start = now_s();
  int code = RUN(&l, "-n", "3", "--grace", "0.3", ACTS, "catch", "15", "say", "is", "at", "1",
                 "exit", "3", "all", "hang");
  double seconds = now_s() - start;
  ck_assert_int_eq(code, 3);
  ck_assert_double_ge(seconds, 0.3);
  ck_assert_int_eq(count_of(l.text, "got 15"), 2);
  ck_assert_int_eq(count_of(l.errors, "ending ranks 0 and 2, still running after a grace of 0.3 s"),
                   1);
  launch_free(&l);
}
END_TEST

START_TEST(a_rank_that_ignores_sigterm_is_killed)
{
  struct launch l;
  int code =
      RUN(&l, "-n", "2", "--grace", "0", ACTS, "ignore", "15", "say", "is", "attach", "at", "1",
          "await", "0", ACTIVE, "exit", "3", "all", "await", "1", DEAD, "say", "hangs", "hang");
  ck_assert_int_eq(code, 3);
  ck_assert_int_eq(count_of(l.text, "hangs 0"), 1);
  await_gone(launch_pid(&l, "is", 0));
  launch_free(&l);
}
END_TEST

START_TEST(keep_lets_survivors_go_on)
{
  struct launch l;
  LAUNCH(&l, "-n", "2", "--grace", "0", "--keep", ACTS, "attach", "at", "1", "exit", "3", "all",
         "await", "1", DEAD, "say", "ready", "catch", "10", "hang");
  launch_await(&l, "ready", 1);
  pid_t survivor = launch_pid(&l, "ready", 0);
  await_state(survivor, 'S');
  await_state(l.pid, 'S');
  ck_assert_int_eq(kill(l.pid, SIGUSR1), 0);
  launch_await(&l, "got 10", 1);
  kill(survivor, SIGKILL);
  launch_end(&l);
  ck_assert_int_eq(l.code, 3);
  ck_assert_int_eq(count_of(l.errors, "still running"), 0);
  launch_free(&l);
}
END_TEST

START_TEST(a_timeout_says_where_the_ranks_are)
{
  struct launch l;
  int code = RUN(&l, "-n", "3", "--timeout", "0.5", ACTS, "say", "is", "at", "0", "exit", "0", "at",
                 "1", "attach", "hang", "all", "hang");
  ck_assert_int_eq(code, 124);
  ck_assert_int_eq(count_of(l.errors, "did not end within the timeout of 0.5 s"), 1);
  check_says(&l, "mpjrun: rank 1 (pid %d) still runs: sleeping (S)", launch_pid(&l, "is", 1));
  check_says(&l, "mpjrun: rank 2 (pid %d) still runs: sleeping (S)", launch_pid(&l, "is", 2));
  ck_assert_int_eq(count_of(l.errors, ", attached\n"), 1);
  ck_assert_int_eq(count_of(l.errors, ", not attached\n"), 1);
  check_says(&l, "mpjrun: rank 0 (pid %d) exited without calling MPJ_Init successfully\n",
             launch_pid(&l, "is", 0));
  ck_assert_int_eq(count_of(l.errors, "\n"), 4);
  launch_free(&l);
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "mpjrun_exits", ranks_that_exit_with_0_make_a_0, many_failures_are_reported_as_a_number,
      the_first_failure_gives_the_code, survivors_see_who_died_and_of_what,
      an_exit_without_finalize_is_reported_and_marked,
      a_rank_that_never_attached_counts_as_finalized, programs_that_never_attach_are_well,
      a_program_that_cannot_start_is_reported_once,
      too_low_a_limit_of_descriptors_is_raised_for_mpjrun_alone_or_refused,
      too_low_a_limit_of_files_is_refused, the_death_of_a_grandchild_that_attached_is_noticed,
      the_grace_ends_with_sigterm, a_rank_that_ignores_sigterm_is_killed, keep_lets_survivors_go_on,
      a_timeout_says_where_the_ranks_are);
}
