/* This header declares the frame of the test programs of exchanges and
 * reductions: it runs a function on every rank, as threads or as one process of
 * a job, and looks for what it has left. */
#ifndef MPJ_TESTS_COLL_RUNNER_H
#define MPJ_TESTS_COLL_RUNNER_H

#include <stdint.h>

/* One rank's place, and what the command line says. */
struct run {
  int rank, size;
  long plays;
  uint64_t seed;
  const char *word; /* the argument without a dash, or NULL */
};

/* 0, or 1 after a line on stderr that says what is wrong. */
typedef int run_fn(const struct run *run);

/* The program: [--ranks LIST] [--plays N] [--seed S] [WORD].
 *   --ranks LIST  on threads, once with each number of ranks: "1-17,64"; without
 *                 it, this process is one rank of a job
 * Returns the exit status: 0 if every rank returned 0, and no type, layout,
 * operation or allocation is left. */
int run_main(int argc, char **argv, run_fn *fn);

/* The seed of play `number` among `size` ranks: the same on all of them. */
uint64_t run_seed(const struct run *run, uint64_t number);

#endif
