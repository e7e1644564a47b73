/* This header declares `mpj-bench pack`. */
#ifndef MPJ_BENCH_PACK_BENCH_H
#define MPJ_BENCH_PACK_BENCH_H

/* Run it with the arguments after "pack"; returns the program's exit status. */
int pack_bench(int argc, char **argv);

#endif
