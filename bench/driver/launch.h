/* This header declares the running of one command under a time limit. */
#ifndef MPJ_BENCH_LAUNCH_H
#define MPJ_BENCH_LAUNCH_H

#include <stdbool.h>

enum { BENCH_COMPLAINT_BYTES = 240, BENCH_NO_PROGRAM = 127 };

struct bench_run {
  int exit_status; /* as of a shell: 128 + signal if a signal ended it; BENCH_NO_PROGRAM */
  bool timed_out;  /* we ended it */
  char complaint[BENCH_COMPLAINT_BYTES]; /* its first sentence on stderr, or "" */
};

/* Run argv[0], found through PATH, in a process group of its own, and hand every
 * whole line of its stdout, without the newline, to on_line(arg, line). When
 * `seconds` have passed it is asked to end (SIGTERM), and killed with its group
 * 2 s later. It does not outlive this process.
 *   argv  ended by NULL
 * Returns 0 once it has ended, however; 1 where it could not even be forked,
 * with the reason in run->complaint. */
int bench_launch(char *const argv[], double seconds, void (*on_line)(void *arg, const char *line),
                 void *arg, struct bench_run *run);

#endif
