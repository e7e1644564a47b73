/* This header declares the example's table of times. */
#ifndef EXAMPLES_TIMES_H
#define EXAMPLES_TIMES_H

#include <stdint.h>

enum step { SCATTER, COMPUTE, GATHER, STEPS };

/* What one rank took for each step of one repetition. */
struct times {
  double seconds[STEPS];
};

/* Print a line for each step: milliseconds, and GB/s for a matrix of `bytes`.
 * A step ends when its slowest rank ends; of the repetitions it is the median.
 *   all  [nranks][repeat]; its order is changed
 * The table is three lines of "name ms GB/s" under a heading. */
void times_print(struct times *all, int nranks, int repeat, int64_t bytes);

#endif
