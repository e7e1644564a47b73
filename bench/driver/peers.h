/* This header declares the reading of --peers, for the commands that compare with MPI libraries
 * and with another build of MPJ. */
#ifndef MPJ_BENCH_PEERS_H
#define MPJ_BENCH_PEERS_H

#include <limits.h>
#include <stdbool.h>

/* Read "mpich,mpj:/tmp/before": some of names[n], of which the last is "mpj:", with a folder
 * behind it, and comes last; or the word none. Sets chosen[n], and *prefix to the folder, borrowed
 * from text, or NULL. False, both unspecified, if text is anything else. */
bool bench_peers_read(const char *text, const char *const names[], int n, bool chosen[],
                      const char **prefix);

/* folder := PREFIX/lib or PREFIX/lib64, where the libmpj of the build installed in `prefix` lies.
 * False, and why, if there is none. */
bool bench_peers_library(const char *prefix, char folder[PATH_MAX], char *why, int size);

/* Its name there. */
#define BENCH_LIBRARY "libmpj.so.0"

#endif
