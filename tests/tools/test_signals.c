/* This file tests what signals to mpjrun do, and the terminal. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/suite.h"
#include "tools/launch.h"

START_TEST(signals_are_passed_on_to_all_ranks)
{
  static const int signals[] = {SIGHUP, SIGUSR1, SIGUSR2, SIGQUIT, SIGINT};
  struct launch l;
  LAUNCH(&l, "-n", "3", ACTS, "catch", "1", "catch", "10", "catch", "12", "catch", "3", "catch",
         "2", "say", "ready", "hang");
  launch_await(&l, "ready", 3);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    char expected[16];
    snprintf(expected, sizeof expected, "got %02d", signals[i]);
    kill(l.pid, signals[i]);
    launch_await(&l, expected, 3);
  }
  for (int rank = 0; rank < 3; rank++)
    kill(launch_pid(&l, "ready", rank), SIGKILL);
  launch_end(&l);
  ck_assert_int_eq(l.code, 128 + SIGKILL);
  launch_free(&l);
}
END_TEST

START_TEST(sigterm_ends_a_job_that_does_not_mind)
{
  struct launch l;
  LAUNCH(&l, "-n", "2", ACTS, "say", "ready", "hang");
  launch_await(&l, "ready", 2);
  kill(l.pid, SIGTERM);
  launch_end(&l);
  ck_assert_int_eq(l.code, 128 + SIGTERM);
  ck_assert_int_eq(count_of(l.errors, "was killed by signal 15 (Terminated)"), 2);
  launch_free(&l);
}
END_TEST

START_TEST(a_second_sigterm_kills)
{
  struct launch l;
  LAUNCH(&l, "-n", "2", ACTS, "catch", "15", "say", "ready", "hang");
  launch_await(&l, "ready", 2);
  kill(l.pid, SIGTERM);
  launch_await(&l, "got 15", 2);
  double first = now_s();
  while (state_of(l.pid)) { /* those within a tenth of a second count as one */
    kill(l.pid, SIGTERM);
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  ck_assert_double_lt(now_s() - first, 5); /* the grace is 10 s */
  launch_end(&l);
  ck_assert_int_eq(l.code, 128 + SIGKILL);
  launch_free(&l);
}
END_TEST

/* Signals that mpjrun finds together, as when a group and its leader are sent one. */
START_TEST(two_requests_at_once_are_one)
{
  struct launch l;
  LAUNCH(&l, "-n", "2", ACTS, "catch", "15", "catch", "2", "catch", "10", "say", "ready", "hang");
  launch_await(&l, "ready", 2);
  kill(l.pid, SIGSTOP);
  await_state(l.pid, 'T');
  kill(l.pid, SIGTERM);
  kill(l.pid, SIGINT);
  kill(l.pid, SIGUSR1);
  kill(l.pid, SIGCONT);
  launch_await(&l, "got ", 4); /* 10 and one of the others, in any order */
  for (int rank = 0; rank < 2; rank++) {
    ck_assert_int_ne(state_of(launch_pid(&l, "ready", rank)), 0);
    kill(launch_pid(&l, "ready", rank), SIGKILL);
  }
  launch_end(&l);
  ck_assert_int_eq(count_of(l.text, "got 02") + count_of(l.text, "got 15"), 2);
  launch_free(&l);
}
END_TEST

START_TEST(ranks_that_ignore_sigterm_end_with_the_grace)
{
  struct launch l;
  LAUNCH(&l, "-n", "2", "--grace", "0.2", ACTS, "ignore", "15", "say", "ready", "hang");
  launch_await(&l, "ready", 2);
  kill(l.pid, SIGTERM);
  launch_end(&l);
  ck_assert_int_eq(l.code, 128 + SIGKILL);
  for (int rank = 0; rank < 2; rank++)
    await_gone(launch_pid(&l, "ready", rank));
  launch_free(&l);
}
END_TEST

START_TEST(stop_and_continue_reach_the_ranks)
{
  struct launch l;
  LAUNCH(&l, "-n", "2", ACTS, "catch", "10", "say", "ready", "hang");
  launch_await(&l, "ready", 2);
  pid_t ranks[2] = {launch_pid(&l, "ready", 0), launch_pid(&l, "ready", 1)};
  kill(l.pid, SIGTSTP);
  await_state(l.pid, 'T');
  for (int i = 0; i < 2; i++)
    await_state(ranks[i], 'T');
  kill(l.pid, SIGCONT);
  for (int i = 0; i < 2; i++)
    await_state(ranks[i], 'S');
  kill(l.pid, SIGUSR1);
  launch_await(&l, "got 10", 2);
  kill(l.pid, SIGTERM);
  launch_end(&l);
  ck_assert_int_eq(l.code, 128 + SIGTERM);
  launch_free(&l);
}
END_TEST

/* Run mpjrun in front of a terminal of its own; returns the terminal's master. */
static int launch_on_terminal(struct launch *l)
{
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ck_assert_int_ge(master, 0);
  ck_assert_int_eq(grantpt(master), 0);
  ck_assert_int_eq(unlockpt(master), 0);
  int slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  ck_assert_int_ge(slave, 0);
  launch_command(l, slave,
                 (const char *const[]){"setsid", "--ctty", "--wait", MPJRUN, "-n", "2", ACTS,
                                       "catch", "2", "say", "ready", "input", NULL});
  close(slave);
  return master;
}

START_TEST(rank_0_reads_a_terminal)
{
  struct launch l;
  int master = launch_on_terminal(&l);
  launch_await(&l, "ready", 2);
  ck_assert_int_eq(write(master, "typed\n", 6), 6);
  launch_await(&l, "typed\n", 1);
  ck_assert_int_eq(write(master, "\4", 1), 1); /* the end of input */
  launch_end(&l);
  close(master);
  ck_assert_int_eq(l.code, 0);
  launch_free(&l);
}
END_TEST

START_TEST(an_interrupt_from_the_terminal_reaches_the_ranks)
{
  struct launch l;
  int master = launch_on_terminal(&l);
  launch_await(&l, "ready", 2);
  ck_assert_int_eq(write(master, "\3", 1), 1);
  launch_await(&l, "got 02", 1); /* rank 1 is at the end of its input already */
  ck_assert_int_eq(write(master, "\4", 1), 1);
  launch_end(&l);
  close(master);
  ck_assert_int_eq(l.code, 0);
  launch_free(&l);
}
END_TEST

int main(void)
{
  return RUN_SUITE("mpjrun_signals", signals_are_passed_on_to_all_ranks,
                   sigterm_ends_a_job_that_does_not_mind, a_second_sigterm_kills,
                   two_requests_at_once_are_one, ranks_that_ignore_sigterm_end_with_the_grace,
                   stop_and_continue_reach_the_ranks, rank_0_reads_a_terminal,
                   an_interrupt_from_the_terminal_reaches_the_ranks);
}
