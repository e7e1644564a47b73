/* This header declares `mpj-bench overhead`, `async`, `layered`, `forms` and `scale`: programs of
 * MPJ alone that print their own tables. */
#ifndef MPJ_BENCH_WORKER_BENCH_H
#define MPJ_BENCH_WORKER_BENCH_H

/* Run with the arguments after the command's name; returns the program's exit
 * status: 0; 1 if a worker failed or is missing; 2 for a wrong command line. */
int overhead_bench(int argc, char **argv);
int async_bench(int argc, char **argv);
int layered_bench(int argc, char **argv);
int forms_bench(int argc, char **argv);
int scale_bench(int argc, char **argv);

#endif
