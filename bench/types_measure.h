/* This header declares what the types benchmark measures with: the thread's CPU
 * time, the heap, and a fixed sequence of random numbers. Each result is a line
 * "name milliseconds bytes" on the standard output. */
#ifndef MPJ_BENCH_TYPES_MEASURE_H
#define MPJ_BENCH_TYPES_MEASURE_H

#include <stddef.h>

#include "types_shim.h"

double types_now(void);  /* ms of CPU time of this thread */
size_t types_heap(void); /* bytes allocated now */
unsigned types_random(unsigned below);
void types_report(const char *name, double ms, size_t bytes);

/* Displacements and lengths of n irregular blocks: gaps below 4096, 1 to 8 long. */
void types_irregular(types_count n, types_count lens[], types_count displs[]);

/* Time and heap of an indexed type of n blocks, best of `runs`, the heap kept. */
void types_time_indexed(const char *name, int runs, types_count n, const types_count lens[],
                        const types_count displs[]);

/* The cases that only MPJ has: buckets, and access to parts. */
void types_mpj_cases(void);

#endif
