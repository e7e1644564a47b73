/* This file tests mpjrun's command line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suite.h"
#include "tools/launch.h"

/* Code 2, nothing on standard output, one line that holds `word`. */
static void check_refused(const struct launch *l, const char *word)
{
  ck_assert_int_eq(l->code, 2);
  ck_assert_uint_eq(l->length, 0);
  ck_assert_msg(strstr(l->errors, word) != NULL, "no '%s' in: %s", word, l->errors);
  ck_assert_int_eq(count_of(l->errors, "\n"), 1);
}

/* No machine has so much: each line names one thing, what is needed and what is there. */
START_TEST(more_ranks_than_the_machine_has_room_for_are_refused_before_any_is_started)
{
  struct launch l;
  const char *const lacks[] = {"100000000 ranks need 200000024 descriptors, and there are",
                               "100000000 ranks need 100000001 processes, and there are",
                               "bytes of memory, and there are"};
  ck_assert_int_eq(RUN(&l, "-n", "100000000", "echo"), 1);
  ck_assert_uint_eq(l.length, 0);
  for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++)
    ck_assert_msg(strstr(l.errors, lacks[i]) != NULL, "no '%s' in: %s", lacks[i], l.errors);
  ck_assert_int_eq(count_of(l.errors, "\n"), 3);
  launch_free(&l);
}
END_TEST

START_TEST(threads_of_the_library_count_like_processes)
{
  struct launch l;
  ck_assert_int_eq(setenv("MPJ_PROGRESS", "thread", 1), 0);
  ck_assert_int_eq(RUN(&l, "-n", "100000000", "echo"), 1);
  ck_assert_msg(strstr(l.errors, "need 200000001 processes and threads, and there are") != NULL,
                "%s", l.errors);
  launch_free(&l);
  ck_assert_int_eq(unsetenv("MPJ_PROGRESS"), 0);
}
END_TEST

START_TEST(a_wrong_number_of_ranks_is_refused_by_name_and_value)
{
  static const char *const values[] = {"0",  "-1", "2147483648",          "abc",
                                       "4x", "",   "99999999999999999999"};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    char expected[128];
    struct launch l;
    snprintf(expected, sizeof expected,
             "-n is '%s': it must be a number of ranks from 1 to 2147483647", values[i]);
    RUN(&l, "-n", values[i], "echo");
    check_refused(&l, expected);
    launch_free(&l);
  }
}
END_TEST

START_TEST(wrong_seconds_are_refused_by_name_and_value)
{
  static const char *const wrong[][3] = {
      {"--timeout", "0", "--timeout is '0'"},     {"--timeout", "-2", "--timeout is '-2'"},
      {"--timeout", "nan", "--timeout is 'nan'"}, {"--timeout", "5s", "--timeout is '5s'"},
      {"--grace", "-1", "--grace is '-1'"},       {"--grace", "inf", "--grace is 'inf'"},
      {"--grace", "", "--grace is ''"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct launch l;
    RUN(&l, "-n", "1", wrong[i][0], wrong[i][1], "echo");
    check_refused(&l, wrong[i][2]);
    launch_free(&l);
  }
}
END_TEST

START_TEST(missing_and_unknown_arguments_are_refused_by_name)
{
  static const struct {
    const char *words[4], *expected;
  } cases[] = {
      {{"-n", "2"}, "program to run is missing"},
      {{"echo"}, "-n is missing"},
      {{"-n"}, "'-n' needs a value"},
      {{"-np"}, "'-np' needs a value"},
      {{"-np", "x"}, "-np is 'x'"},
      {{"-np", "0"}, "-np is '0'"},
      {{"--grace"}, "'--grace' needs a value"},
      {{"-x", "echo"}, "'-x' is unknown"},
      {{"--bogus", "echo"}, "'--bogus' is unknown"},
      {{"--label=3", "echo"}, "'--label=3' takes no value"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct launch l;
    const char *const *w = cases[i].words;
    launch_command(&l, -1, (const char *const[]){MPJRUN, w[0], w[1], NULL});
    launch_end(&l);
    check_refused(&l, cases[i].expected);
    launch_free(&l);
  }
}
END_TEST

START_TEST(np_is_another_word_for_n)
{
  struct launch l;
  ck_assert_int_eq(RUN(&l, "-np=3", "echo", "x"), 0);
  launch_free(&l);
  ck_assert_int_eq(RUN(&l, "-n=3", "echo", "x"), 0);
  launch_free(&l);
  ck_assert_int_eq(RUN(&l, "-np3", "echo", "x"), 0);
  launch_free(&l);
  ck_assert_int_eq(RUN(&l, "-np", "3", "echo", "x"), 0);
  ck_assert_int_eq(count_of(l.text, "x\n"), 3);
  launch_free(&l);
}
END_TEST

START_TEST(options_after_the_program_are_the_programs)
{
  struct launch l;
  ck_assert_int_eq(RUN(&l, "-n", "1", "echo", "-n", "x", "--label"), 0);
  ck_assert_str_eq(l.text, "x --label");
  launch_free(&l);
}
END_TEST

START_TEST(help_and_version_go_to_standard_output)
{
  struct launch l;
  ck_assert_int_eq(RUN(&l, "--help"), 0);
  ck_assert_ptr_nonnull(strstr(l.text, "usage: mpjrun -n N"));
  ck_assert_str_eq(l.errors, "");
  launch_free(&l);
  ck_assert_int_eq(RUN(&l, "--version"), 0);
  ck_assert_int_eq(strncmp(l.text, "mpjrun ", 7), 0);
  launch_free(&l);
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "mpjrun_options", a_wrong_number_of_ranks_is_refused_by_name_and_value,
      more_ranks_than_the_machine_has_room_for_are_refused_before_any_is_started,
      threads_of_the_library_count_like_processes, wrong_seconds_are_refused_by_name_and_value,
      missing_and_unknown_arguments_are_refused_by_name, np_is_another_word_for_n,
      options_after_the_program_are_the_programs, help_and_version_go_to_standard_output);
}
