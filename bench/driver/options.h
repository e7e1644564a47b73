/* This header declares the command line of `mpj-bench coll`. */
#ifndef MPJ_BENCH_OPTIONS_H
#define MPJ_BENCH_OPTIONS_H

#include "bench_list.h"

#include <limits.h>
#include <stdio.h>

/* OPENMPI_SM: Open MPI with its shared-memory collectives preferred. MPICH_AT, OPENMPI_AT:
 * installed in a folder. MPJ: another installed build of this library. */
enum bench_peer {
  BENCH_PEER_MPICH,
  BENCH_PEER_OPENMPI,
  BENCH_PEER_OPENMPI_SM,
  BENCH_PEER_MPICH_AT,
  BENCH_PEER_OPENMPI_AT,
  BENCH_PEER_MPJ,
  BENCH_NPEERS
};
enum bench_transport { BENCH_SHM, BENCH_THREADS, BENCH_NTRANSPORTS };

struct bench_options {
  struct bench_list p;
  bool transports[BENCH_NTRANSPORTS];
  bool peers[BENCH_NPEERS];
  bool peers_asked;                    /* they were named: one that is missing is an error */
  char prefix[BENCH_NPEERS][PATH_MAX]; /* where those that are named by a folder are installed */
  int rounds;
  /* Checked here, handed to the workers as they are. */
  const char *ops, *sizes, *orders, *timings, *buffers, *seconds, *timeout;
  double timeout_s;
  const char *json;   /* file to write, or NULL */
  const char *mpjrun; /* path, or NULL: look for it */
  bool help;
};

extern const char *const bench_peer_names[BENCH_NPEERS];
extern const char *const bench_transport_names[BENCH_NTRANSPORTS];

/* Read the arguments after "coll". The texts in *o are borrowed from argv.
 * False after one sentence on stderr if they are wrong. */
bool bench_options_read(int argc, char **argv, struct bench_options *o);

void bench_options_help(FILE *f);

#endif
