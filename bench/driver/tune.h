/* This header declares `mpj-bench tune`: it times the algorithms of each collective
 * here and writes the rules that choose the best, for MPJ_COLL_FILE. */
#ifndef MPJ_BENCH_TUNE_H
#define MPJ_BENCH_TUNE_H

/* The command, with what follows its name. Returns the exit status: 0; 1 where a
 * worker could not be run or the file not be written; 2 for a wrong command line. */
int tune_bench(int argc, char **argv);

/* `mpj-bench tune --machine`: measure this machine and write its file to `out`, or, NULL, to where
 * the library looks for the user's, with the rules of the file `rules` in it, if not NULL. No
 * further round begins that would end after `seconds`. The exit status. */
int tune_machine(const char *out, const char *rules, double seconds);

#endif
