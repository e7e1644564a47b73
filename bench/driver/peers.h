/* This header declares the reading of --peers, for the commands that compare with MPI libraries
 * and with another build of MPJ. */
#ifndef MPJ_BENCH_PEERS_H
#define MPJ_BENCH_PEERS_H

#include <limits.h>
#include <stdbool.h>

/* Read "mpich,ompi:/opt/main,mpj:/tmp/before": some of names[n], or the word none. A name that ends
 * in a colon has a folder behind it; that of the last of names[] goes on to the end of the text, so
 * that it may hold commas. Sets chosen[n] and prefix[n], the folders, "" where there is none.
 * False, both unspecified, if text is anything else. */
bool bench_peers_read(const char *text, const char *const names[], int n, bool chosen[],
                      char prefix[][PATH_MAX]);

/* path := the program of the MPI in `prefix`, bin/NAME.MPI where the prefix has several ("mpich",
 * "openmpi"), or bin/NAME. False: there is none. */
bool bench_peers_program(const char *prefix, const char *name, const char *mpi,
                         char path[PATH_MAX]);

/* Compile the worker of `mpj-bench coll` for the MPI in `prefix` by its own mpicc, into a file
 * of its own that is removed when this process ends; its name in worker. False, and why, if it
 * cannot be compiled. */
bool bench_peers_compile(const char *prefix, const char *mpi, char worker[PATH_MAX], char *why,
                         int size);

/* folder := PREFIX/lib or PREFIX/lib64, where the libmpj of the build installed in `prefix` lies.
 * False, and why, if there is none. */
bool bench_peers_library(const char *prefix, char folder[PATH_MAX], char *why, int size);

/* Its name there. */
#define BENCH_LIBRARY "libmpj.so.0"

#endif
