/* This header declares the frame of the test programs of exchanges and
 * reductions: it runs a function on every rank, as threads or as one process of
 * a job, and looks for what it has left. */
#ifndef MPJ_TESTS_COLL_RUNNER_H
#define MPJ_TESTS_COLL_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

#include "coll/places.h"

/* One rank's place, and what the command line says. */
struct run {
  MPJ_Comm comm;
  int rank, size;
  int place, nplaces; /* comm is that of places[place]; 0 is WORLD's */
  const struct place *places;
  bool threads; /* ranks are threads of one process */
  long plays;
  uint64_t seed;
  const char *word; /* the argument without a dash, or NULL */
};

/* 0, or 1 after a line on stderr that says what is wrong. */
typedef int run_fn(const struct run *run);

/* The program: [--ranks LIST] [--places N] [--plays N] [--seed S] [WORD].
 *   --ranks LIST  on threads, once with each number of ranks: "1-17,64"; without
 *                 it, this process is one rank of a job
 *   --places N    on WORLD and N - 1 other communicators, all of which there are
 *                 at once: the function is called for each that the rank is in, in
 *                 the same order on all ranks, without any wait in between
 * Returns the exit status: 0 if every rank returned 0, and no type, layout,
 * operation or allocation is left. */
int run_main(int argc, char **argv, run_fn *fn);
/* The same of ranks whose calls may differ: they may also hear of it when they end. */
int run_main_of_differing(int argc, char **argv, run_fn *fn);

/* The seed of play `number` among `size` ranks: the same on all of them. */
uint64_t run_seed(const struct run *run, uint64_t number);

#endif
