/* This header runs the test program itself again with an environment of its
 * own, for what a process reads or does only once. */
#ifndef MPJ_TESTS_BASE_CHILD_H
#define MPJ_TESTS_BASE_CHILD_H

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert.h"

struct child_outcome {
  int status;      /* exit status, or -1 if a signal ended it */
  char text[8192]; /* what it wrote to stderr, cut to fit */
};

static inline void become_child(char *argument, char *const environment[], int err)
{
  char path[] = "/proc/self/exe";
  dup2(err, STDERR_FILENO);
  execve(path, (char *[]){path, argument, NULL}, environment);
  _exit(127);
}

/* Run /proc/self/exe with this argument, environment[] ended by NULL. */
static inline struct child_outcome run_child(char *argument, char *const environment[])
{
  struct child_outcome outcome = {.status = -1};
  int ends[2];
  ck_assert_int_eq(pipe(ends), 0);
  fflush(NULL);
  pid_t pid = fork();
  ck_assert_int_ge(pid, 0);
  if (pid == 0) become_child(argument, environment, ends[1]);
  close(ends[1]);
  size_t length = 0;
  ssize_t n;
  while ((n = read(ends[0], outcome.text + length, sizeof outcome.text - 1 - length)) > 0)
    length += (size_t)n;
  close(ends[0]);
  int status;
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
  if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
  return outcome;
}

#endif
