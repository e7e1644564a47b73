/* This header declares `mpj-bench array`. */
#ifndef MPJ_BENCH_ARRAY_BENCH_H
#define MPJ_BENCH_ARRAY_BENCH_H

/* Run it with the arguments after "array"; returns the program's exit status. */
int array_bench(int argc, char **argv);

#endif
