/* This header declares `mpj-bench am`. */
#ifndef MPJ_BENCH_AM_BENCH_H
#define MPJ_BENCH_AM_BENCH_H

/* Run it with the arguments after "am"; returns the program's exit status. */
int am_bench(int argc, char **argv);

#endif
