/* This header declares what the user of matrix_gather chose. */
#ifndef EXAMPLES_OPTIONS_H
#define EXAMPLES_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { OPTIONS_WHY = 256, REPEAT_MAX = 1000, THREADS_MAX = 256 };

struct options {
  const char *in, *out;  /* the two .npy files */
  const char *picture;   /* a PNG to draw, or NULL */
  int threads;           /* ranks are that many threads; 0: ranks are processes */
  int grid[2];           /* the process grid; 0, 0: choose it */
  int64_t cyclic;        /* tile edge in elements, cyclic in both dimensions; 0: blocks */
  bool check, times;     /* compare with the serial result; print times */
  int repeat;            /* scatter, compute and gather that often */
  bool help;             /* only print how to use it */
  char why[OPTIONS_WHY]; /* what is wrong with the arguments; "" if nothing */
};

extern const char options_usage[];

/* Read the command line. A mistake is told in o->why, and o->threads is then 0,
 * so that a caller can start its ranks and let one of them speak. */
void options_read(struct options *o, int argc, char **argv);

/* grid := the grid that o asks for, else the one nearest to a square, with
 * p = grid[0] * grid[1] and grid[0] >= grid[1].
 * Returns 0, or -1 and why: o's grid does not have p places. */
int options_grid(const struct options *o, int p, int grid[2], char why[OPTIONS_WHY]);

#endif
