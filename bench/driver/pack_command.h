/* This header declares the command line of `mpj-bench pack`. */
#ifndef MPJ_BENCH_PACK_COMMAND_H
#define MPJ_BENCH_PACK_COMMAND_H

#include "pack_options.h"

#include <limits.h>
#include <stdio.h>

enum pack_peer { PACK_MPICH, PACK_OPENMPI, PACK_OTHER_MPJ, PACK_NPEERS };

enum { PACK_ROUNDS_MOST = 100 };

struct pack_command {
  struct pack_options what;
  bool peers[PACK_NPEERS];
  char prefix[PACK_NPEERS][PATH_MAX]; /* where the other build is installed, if there is one */
  int rounds;
  const char *seconds;     /* as given, for the workers */
  const char *json, *plot; /* files to write, or NULL */
  bool help;
};

extern const char *const pack_peer_names[PACK_NPEERS]; /* "mpich", "openmpi", "mpj:" */

/* Read the arguments after "pack". The texts in *c are borrowed from argv.
 * False after one sentence on stderr if they are wrong. */
bool pack_command_read(int argc, char **argv, struct pack_command *c);

void pack_command_help(FILE *f);

#endif
