/* This header runs mpjrun for a test: start it, wait for words in its output,
 * collect what it wrote and how it ended. Everything asserts. */
#ifndef MPJ_TESTS_TOOLS_LAUNCH_H
#define MPJ_TESTS_TOOLS_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct launch {
  pid_t pid;
  int out, err;      /* read end of a pipe; an anonymous file */
  char *text;        /* what was read from standard output so far, owned */
  size_t length;     /* of text, in bytes; a 0 follows */
  char errors[8192]; /* standard error, after launch_end */
  int code;          /* after launch_end: the exit code, 128 + signal if killed */
};

/* Start argv (NULL at the end), with `input` as standard input (-1: /dev/null). */
void launch_command(struct launch *l, int input, const char *const argv[]);

/* Start mpjrun with these arguments. */
#define LAUNCH(l, ...) launch_command(l, -1, (const char *const[]){MPJRUN, __VA_ARGS__, NULL})

/* Read until `word` occurred `count` times in the output. */
void launch_await(struct launch *l, const char *word, int count);

/* Read the rest, wait for the end, release everything but text; returns code. */
int launch_end(struct launch *l);
void launch_free(struct launch *l);

/* Start mpjrun, see it end, and return its exit code. */
#define RUN(l, ...) (LAUNCH(l, __VA_ARGS__), launch_end(l))

/* The pid in the line "<word> <rank> <pid>" of the output. */
pid_t launch_pid(const struct launch *l, const char *word, int rank);

/* Occurrences of `word` in `text`. */
int count_of(const char *text, const char *word);

/* The process's state letter; 0 if it is gone or a zombie. */
char state_of(pid_t pid);

/* Wait until the process is gone; until it is in this state. */
void await_gone(pid_t pid);
void await_state(pid_t pid, char state);

/* The child of `parent` with this name (as in /proc/<pid>/comm). */
pid_t child_named(pid_t parent, const char *name);

double now_s(void);

#endif
