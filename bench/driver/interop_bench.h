/* This header declares `mpj-bench interop`. */
#ifndef MPJ_BENCH_INTEROP_BENCH_H
#define MPJ_BENCH_INTEROP_BENCH_H

/* Run it with the arguments after "interop"; returns the exit status: 0; 1 if MPJ failed in a run
 * or the results could not be written; 2 for a wrong command line. */
int interop_bench(int argc, char **argv);

#endif
