/* This header declares the growth table of the types benchmark: what making types
 * costs against the size of their arguments. */
#ifndef MPJ_BENCH_TYPES_GROWTH_H
#define MPJ_BENCH_TYPES_GROWTH_H

#include <mpj/mpj.h>

/* Arguments of up to `most` blocks, drawn once. */
struct growth_input {
  MPJ_Count most;
  MPJ_Count *lens;     /* 1 to 8 */
  MPJ_Count *displs;   /* gaps below 4096 elements */
  MPJ_Aint *bytes;     /* the same in bytes of doubles */
  MPJ_Count *runs;     /* lengths that are equal 64 times, then others */
  int *numbers;        /* buckets, 0 to 3 */
  MPJ_Datatype *types; /* int, double or char */
  MPJ_Datatype old;    /* an index of the present n blocks */
  MPJ_Datatype dist;   /* a block distribution over the present n processes */
};

/* One constructor, with arguments of size n; input bytes a block are what the
 * caller's arrays take. */
struct growth_case {
  const char *name;
  int (*make)(const struct growth_input *in, MPJ_Count n, MPJ_Datatype *type);
  size_t input;
};
extern const struct growth_case growth_cases[];
extern const int growth_ncases;

/* Draw the arguments; ends the program where there is no memory. */
void growth_draw(struct growth_input *in, MPJ_Count most);

/* Print the table for n = 100, 1000, ... up to `most`. */
void growth_table(MPJ_Count most);

#endif
