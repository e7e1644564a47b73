/* This file tests how mpjrun forwards input and output. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/suite.h"
#include "tools/launch.h"

START_TEST(ranks_find_their_place_in_the_environment)
{
  struct launch l;
  ck_assert_int_eq(RUN(&l, "-n", "3", ACTS, "environment"), 0);
  for (int rank = 0; rank < 3; rank++) {
    char expected[64];
    snprintf(expected, sizeof expected, "%d/3 segment 1 topology 1\n", rank);
    ck_assert_int_eq(count_of(l.text, expected), 1);
  }
  ck_assert_str_eq(l.errors, "");
  launch_free(&l);
}
END_TEST

START_TEST(warnings_of_the_environment_are_left_to_the_ranks)
{
  struct launch l;
  setenv("MPJ_SPIN", "fast", 1);
  ck_assert_int_eq(RUN(&l, "-n", "3", ACTS, "attach", "finalize"), 0); /* these read nothing */
  unsetenv("MPJ_SPIN");
  ck_assert_str_eq(l.errors, "");
  launch_free(&l);
}
END_TEST

START_TEST(only_rank_0_reads_the_input)
{
  struct launch l;
  int file = memfd_create("input", MFD_CLOEXEC);
  ck_assert_int_eq(write(file, "line\n", 5), 5);
  ck_assert_int_eq(lseek(file, 0, SEEK_SET), 0);
  launch_command(&l, file,
                 (const char *const[]){MPJRUN, "-n", "3", "--label", ACTS, "input", NULL});
  launch_end(&l);
  close(file);
  ck_assert_int_eq(l.code, 0);
  ck_assert_str_eq(l.text, "[0] line\n");
  launch_free(&l);
}
END_TEST

START_TEST(standard_error_stays_apart)
{
  struct launch l;
  ck_assert_int_eq(RUN(&l, "-n", "2", "--label", ACTS, "print", "o\n", "warn", "e"), 0);
  ck_assert_int_eq(count_of(l.text, "] o\n"), 2);
  ck_assert_int_eq(count_of(l.errors, "] e\n"), 2);
  ck_assert_uint_eq(l.length, 12);
  ck_assert_uint_eq(strlen(l.errors), 12);
  launch_free(&l);
}
END_TEST

/* Whether text is whole lines of one letter each; counts them. */
static int whole_lines(const char *text)
{
  int lines = 0;
  for (const char *at = text; *at; lines++) {
    size_t same = strspn(at, (char[]){*at, '\0'});
    ck_assert_msg(at[same] == '\n', "a line of '%c' goes on with '%c'", *at, at[same]);
    at += same + 1;
  }
  return lines;
}

START_TEST(lines_of_several_ranks_never_mix)
{
  struct launch l;
  ck_assert_int_eq(RUN(&l, "-n", "8", ACTS, "lines", "2000"), 0);
  ck_assert_int_eq(whole_lines(l.text), 16000);
  launch_free(&l);
}
END_TEST

/* Both standard descriptors are one pipe: a line on one does not cut the other's. */
START_TEST(output_and_errors_in_one_file_do_not_mix)
{
  struct launch l;
  static const char command[] =
      "exec " MPJRUN " -n 4 sh -c '" ACTS " lines 1000 & " ACTS " lines 1000 >&2; wait' 2>&1";
  launch_command(&l, -1, (const char *const[]){"sh", "-c", command, NULL});
  launch_end(&l);
  ck_assert_int_eq(l.code, 0);
  ck_assert_int_eq(whole_lines(l.text), 8000);
  launch_free(&l);
}
END_TEST

START_TEST(every_byte_comes_through)
{
  struct launch l;
  int file = memfd_create("input", MFD_CLOEXEC);
  enum { BYTES = 3000000 };
  unsigned char *data = malloc(BYTES);
  ck_assert_ptr_nonnull(data);
  for (unsigned i = 0, x = 1; i < BYTES; i++, x = x * 1664525U + 1013904223U)
    data[i] = i < BYTES / 2 ? (unsigned char)(x >> 24) : 'x'; /* half of it one long line */
  ck_assert_int_eq(write(file, data, BYTES), BYTES);
  ck_assert_int_eq(lseek(file, 0, SEEK_SET), 0);
  launch_command(&l, file, (const char *const[]){MPJRUN, "-n", "2", "cat", NULL});
  launch_end(&l);
  close(file);
  ck_assert_int_eq(l.code, 0);
  ck_assert_uint_eq(l.length, BYTES);
  ck_assert_int_eq(memcmp(l.text, data, BYTES), 0);
  free(data);
  launch_free(&l);
}
END_TEST

START_TEST(a_last_line_without_newline_gets_one_under_a_label_only)
{
  struct launch l;
  ck_assert_int_eq(RUN(&l, "-n", "1", ACTS, "print", "end"), 0);
  ck_assert_str_eq(l.text, "end");
  launch_free(&l);
  ck_assert_int_eq(RUN(&l, "-n", "1", "--label", ACTS, "print", "end"), 0);
  ck_assert_str_eq(l.text, "[0] end\n");
  launch_free(&l);
}
END_TEST

START_TEST(output_is_drained_after_a_kill)
{
  struct launch l;
  LAUNCH(&l, "-n", "2", ACTS, "lines", "1000", "say", "ready", "raise", "9");
  launch_await(&l, "ready", 1);
  launch_end(&l);
  ck_assert_int_eq(l.code, 137);
  ck_assert_int_eq(count_of(l.text, "ready"), 2);
  ck_assert_int_eq(count_of(l.text, "\n"), 2002);
  launch_free(&l);
}
END_TEST

START_TEST(a_closed_output_ends_the_job)
{
  struct launch l;
  LAUNCH(&l, "-n", "2", "yes");
  launch_await(&l, "y\n", 10);
  int end = dup(STDERR_FILENO); /* in place of the read end, for launch_end to close */
  ck_assert_int_ge(dup3(open("/dev/null", O_RDONLY | O_CLOEXEC), l.out, O_CLOEXEC), 0);
  close(end);
  launch_end(&l);
  ck_assert_int_eq(l.code, 128 + SIGPIPE);
  launch_free(&l);
}
END_TEST

START_TEST(a_full_device_is_reported_and_ends_the_job)
{
  struct launch l;
  static const char command[] = "exec " MPJRUN " -n 2 yes >/dev/full";
  launch_command(&l, -1, (const char *const[]){"sh", "-c", command, NULL});
  launch_end(&l);
  ck_assert_int_eq(l.code, 1);
  ck_assert_ptr_nonnull(strstr(l.errors, "cannot write to standard output: No space left"));
  launch_free(&l);
}
END_TEST

/* Nobody reads: mpjrun's queue and the pipes are full, and signals still work. */
START_TEST(an_unread_output_does_not_keep_signals_away)
{
  struct launch l;
  LAUNCH(&l, "-n", "2", "sh", "-c", "echo ready 0 $$; exec yes");
  launch_await(&l, "ready", 1);
  await_state(launch_pid(&l, "ready", 0), 'S'); /* its pipe is full */
  kill(l.pid, SIGTERM);
  while (count_of(l.errors, "was killed by signal 15") < 2) /* ends with the test's time */
    ck_assert_int_ge(pread(l.err, l.errors, sizeof l.errors - 1, 0), 0);
  ck_assert_int_ne(state_of(l.pid), 0); /* it still has output to write */
  ck_assert_int_eq(launch_end(&l), 128 + SIGTERM);
  launch_free(&l);
}
END_TEST

START_TEST(a_signal_gives_up_output_that_nobody_reads)
{
  struct launch l;
  LAUNCH(&l, "-n", "1", "sh", "-c", "echo ready 0 $$; exec yes");
  launch_await(&l, "ready", 1);
  await_state(launch_pid(&l, "ready", 0), 'S');
  kill(launch_pid(&l, "ready", 0), SIGKILL);
  while (state_of(l.pid)) {
    kill(l.pid, SIGTERM);
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  ck_assert_int_eq(launch_end(&l), 128 + SIGKILL);
  launch_free(&l);
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "mpjrun_output", ranks_find_their_place_in_the_environment,
      warnings_of_the_environment_are_left_to_the_ranks, only_rank_0_reads_the_input,
      standard_error_stays_apart, lines_of_several_ranks_never_mix,
      output_and_errors_in_one_file_do_not_mix, every_byte_comes_through,
      a_last_line_without_newline_gets_one_under_a_label_only, output_is_drained_after_a_kill,
      a_closed_output_ends_the_job, a_full_device_is_reported_and_ends_the_job,
      an_unread_output_does_not_keep_signals_away, a_signal_gives_up_output_that_nobody_reads);
}
