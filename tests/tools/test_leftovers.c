/* This file tests that a job leaves no process behind, however it ends. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/suite.h"
#include "tools/launch.h"

static void check_gone(const struct launch *l, int nranks)
{
  static const char *const words[] = {"is", "near", "far"};
  for (int rank = 0; rank < nranks; rank++)
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
      await_gone(launch_pid(l, words[i], rank));
}

/* Two ranks, each with a process in its group and one in a session of its own. */
#define FAMILY "-n", "2", "--grace", "0", ACTS, "say", "is", "fork", "near", "detach", "far"

START_TEST(an_ordinary_end_leaves_nothing)
{
  struct launch l;
  ck_assert_int_eq(RUN(&l, FAMILY), 0);
  for (int rank = 0; rank < 2; rank++) {
    ck_assert_int_eq(state_of(launch_pid(&l, "near", rank)), 0); /* at once */
    ck_assert_int_eq(state_of(launch_pid(&l, "far", rank)), 0);
  }
  launch_free(&l);
}
END_TEST

START_TEST(a_killed_rank_leaves_nothing)
{
  struct launch l;
  ck_assert_int_eq(
      RUN(&l, FAMILY, "attach", "at", "1", "await", "0", "1", "raise", "9", "all", "hang"), 137);
  check_gone(&l, 2);
  launch_free(&l);
}
END_TEST

START_TEST(sigterm_leaves_nothing)
{
  struct launch l;
  LAUNCH(&l, FAMILY, "say", "ready", "hang");
  launch_await(&l, "ready", 2);
  kill(l.pid, SIGTERM);
  launch_end(&l);
  ck_assert_int_eq(l.code, 128 + SIGTERM);
  check_gone(&l, 2);
  launch_free(&l);
}
END_TEST

START_TEST(sigkill_of_mpjrun_leaves_nothing)
{
  struct launch l;
  LAUNCH(&l, FAMILY, "ignore", "15", "say", "ready", "hang");
  launch_await(&l, "ready", 2);
  pid_t guard = child_named(l.pid, "mpj-guard");
  kill(l.pid, SIGKILL);
  launch_end(&l);
  ck_assert_int_eq(l.code, 128 + SIGKILL);
  check_gone(&l, 2);
  await_gone(guard);
  launch_free(&l);
}
END_TEST

START_TEST(the_guard_goes_before_mpjrun_ends)
{
  struct launch l;
  LAUNCH(&l, "-n", "1", ACTS, "say", "ready", "hang");
  launch_await(&l, "ready", 1);
  pid_t guard = child_named(l.pid, "mpj-guard");
  kill(launch_pid(&l, "ready", 0), SIGKILL);
  launch_end(&l);
  ck_assert_int_eq(kill(guard, 0), -1); /* not even a zombie */
  launch_free(&l);
}
END_TEST

START_TEST(a_job_survives_the_loss_of_its_guard)
{
  struct launch l;
  LAUNCH(&l, "-n", "2", ACTS, "catch", "10", "say", "ready", "hang");
  launch_await(&l, "ready", 2);
  pid_t guard = child_named(l.pid, "mpj-guard");
  kill(guard, SIGKILL);
  await_gone(guard);
  kill(l.pid, SIGUSR1);
  launch_await(&l, "got 10", 2);
  kill(l.pid, SIGTERM);
  launch_end(&l);
  ck_assert_int_eq(l.code, 128 + SIGTERM);
  launch_free(&l);
}
END_TEST

/* A shell that has a child of its own and becomes mpjrun. */
START_TEST(children_from_before_the_job_are_left_alone)
{
  struct launch l;
  static const char command[] =
      "sleep 60 >/dev/null 2>&1 & echo other 0 $!; exec " MPJRUN " -n 1 " ACTS " fork near";
  launch_command(&l, -1, (const char *const[]){"sh", "-c", command, NULL});
  launch_end(&l);
  ck_assert_int_eq(l.code, 0);
  pid_t other = launch_pid(&l, "other", 0);
  ck_assert_int_ne(state_of(other), 0);
  kill(other, SIGKILL);
  await_gone(launch_pid(&l, "near", 0));
  launch_free(&l);
}
END_TEST

int main(void)
{
  return RUN_SUITE("mpjrun_leftovers", an_ordinary_end_leaves_nothing, a_killed_rank_leaves_nothing,
                   sigterm_leaves_nothing, sigkill_of_mpjrun_leaves_nothing,
                   the_guard_goes_before_mpjrun_ends, a_job_survives_the_loss_of_its_guard,
                   children_from_before_the_job_are_left_alone);
}
