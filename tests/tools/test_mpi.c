/* This file tests how mpjrun becomes the launcher of an MPI library. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/suite.h"
#include "tools/launch.h"

/* This code, nothing on standard output, one line that holds `word`. */
static void check_refused(const struct launch *l, int code, const char *word)
{
  ck_assert_msg(l->code == code, "code %d, not %d: %s", l->code, code, l->errors);
  ck_assert_uint_eq(l->length, 0);
  ck_assert_msg(strstr(l->errors, word) != NULL, "no '%s' in: %s", word, l->errors);
  ck_assert_int_eq(count_of(l->errors, "\n"), 1);
}

START_TEST(wrong_arguments_are_refused_in_one_sentence)
{
  static const struct {
    const char *words[5];
    int code;
    const char *expected;
  } cases[] = {
      {{"--mpi=lam", "-n", "2", "sh"}, 2, "--mpi is 'lam'"},
      {{"--mpi=", "-n", "2", "sh"}, 2, "--mpi is ''"},
      {{"--mpi", "-n", "2"}, 2, "program to run is missing"},
      {{"--mpi", "sh"}, 2, "-n is missing"},
      {{"--mpi", "-n", "0", "sh"}, 2, "-n is '0'"},
      {{"--mpi", "--label", "-n", "2", "sh"}, 2, "--label does not go with --mpi"},
      {{"--mpi", "--timeout=3", "-n", "2", "sh"}, 2, "--timeout does not go with --mpi"},
      {{"--mpi", "-n", "2", "sh"}, 2, "'sh' is linked with no MPI library"},
      {{"--mpi", "-n", "2", "/no/such/program"}, 127, "cannot start '/no/such/program'"},
      {{"--mpi", "-n", "2", "no-such-program"}, 127, "cannot start 'no-such-program'"},
      {{"--mpi=mpich", "-n", "2", "no-such-program"}, 127, "cannot start 'no-such-program'"},
      {{"--mpi=openmpi", "-n", "2", "/proc/self/status"}, 126, "Permission denied"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct launch l;
    const char *const *w = cases[i].words;
    launch_command(&l, -1, (const char *const[]){MPJRUN, w[0], w[1], w[2], w[3], w[4], NULL});
    launch_end(&l);
    check_refused(&l, cases[i].code, cases[i].expected);
    launch_free(&l);
  }
}
END_TEST

START_TEST(a_launcher_that_is_missing_is_named)
{
  struct launch l;
  launch_command(&l, -1,
                 (const char *const[]){"/usr/bin/env", "PATH=/nowhere", MPJRUN, "--mpi=" MPI, "-n",
                                       "2", "/bin/sh", NULL});
  launch_end(&l);
  check_refused(&l, 125, "cannot start 'mpiexec." MPI "'");
  launch_free(&l);
}
END_TEST

/* The exit code of two shells' script. MPICH's mpiexec now and then dies of SIGPIPE (141) where its
 * ranks end at once: then it is run again, twice at most. */
static int shells(struct launch *l, const char *script)
{
  for (int again = 0;; again++) {
    const int code = RUN(l, "--mpi=" MPI, "-n", "2", "sh", "-c", script);
    if (code != 141 || again == 2) return code;
    launch_free(l);
  }
}

/* A program that is no MPI program runs all the same, and how it ends is told on. */
START_TEST(exit_codes_and_signals_pass_through)
{
  struct launch l;
  if (access("/usr/bin/mpiexec." MPI, X_OK)) return;
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  ck_assert_int_eq(shells(&l, "echo here"), 0);
  ck_assert_int_eq(count_of(l.text, "here"), 2);
  launch_free(&l);
  ck_assert_int_eq(shells(&l, "exit 3"), 3);
  launch_free(&l);
  ck_assert_int_ne(RUN(&l, "--mpi=" MPI, "-n", "2", "sh", "-c", "kill -9 $$"), 0);
  launch_free(&l);
  ck_assert_int_ne(RUN(&l, "--mpi=" MPI, "-n", "2", "/bin"), 0);
  launch_free(&l);
}
END_TEST

int main(void)
{
  return RUN_SUITE("mpjrun_mpi", wrong_arguments_are_refused_in_one_sentence,
                   a_launcher_that_is_missing_is_named, exit_codes_and_signals_pass_through);
}
