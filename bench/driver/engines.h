/* This header declares the engines that are compared: MPJ over each of its
 * transports, and each MPI library, with the command that runs a worker. */
#ifndef MPJ_BENCH_ENGINES_H
#define MPJ_BENCH_ENGINES_H

#include "options.h"

#include <limits.h>

enum bench_engine {
  BENCH_MPJ_SHM,
  BENCH_MPJ_THREADS,
  BENCH_MPICH, /* from here on the peers, in their order */
  BENCH_OPENMPI,
  BENCH_OPENMPI_SM,
  BENCH_MPICH_AT, /* in a folder */
  BENCH_OPENMPI_AT,
  BENCH_OTHER_SHM, /* another build of MPJ */
  BENCH_OTHER_THREADS,
  BENCH_NENGINES
};

enum { BENCH_ARGS_MOST = 40, BENCH_NUMBER_BYTES = 24 };

struct bench_command {
  char *argv[BENCH_ARGS_MOST]; /* ended by NULL; into the texts below and the options */
  char worker[PATH_MAX], mpjrun[PATH_MAX], mpiexec[PATH_MAX + BENCH_NUMBER_BYTES];
  char p[BENCH_NUMBER_BYTES], limit[BENCH_NUMBER_BYTES];
  char library_path[PATH_MAX + BENCH_NUMBER_BYTES];
  char preload[PATH_MAX + BENCH_NUMBER_BYTES];
};

/* "mpj shm", "mpj threads", "mpich", "openmpi", "openmpi-sm", "other mpj shm", ... */
extern const char *const bench_engine_names[BENCH_NENGINES];

static inline bool bench_engine_is_mpj(enum bench_engine e)
{
  return e <= BENCH_MPJ_THREADS;
}

static inline bool bench_engine_is_other(enum bench_engine e)
{
  return e >= BENCH_OTHER_SHM;
}

static inline enum bench_engine bench_engine_of_transport(int transport)
{
  return transport == BENCH_SHM ? BENCH_MPJ_SHM : BENCH_MPJ_THREADS;
}

/* Another build of MPJ is compared over the same transport. */
static inline enum bench_engine bench_engine_of_peer(int peer, int transport)
{
  if (peer == BENCH_PEER_MPJ) return transport == BENCH_SHM ? BENCH_OTHER_SHM : BENCH_OTHER_THREADS;
  return (enum bench_engine)(BENCH_MPICH + peer);
}

/* Add an argument, which must stay where it is while argv is used. */
void bench_command_add(struct bench_command *c, const char *text);

/* Begin the command that starts p ranks by a peer's launcher. What they run is added to it.
 *   prefix   where the peer is installed, or "" for the one in PATH
 *   preload  a library that is loaded before theirs, or NULL */
void bench_command_by_peer(struct bench_command *c, enum bench_peer peer, const char *prefix, int p,
                           const char *preload);

/* Add the options of a worker that the driver passes on. */
void bench_command_add_options(struct bench_command *c, const struct bench_options *o);

/* path := the program `name`, relative to the folder of this one. False if there
 * is none that can be run. */
bool bench_beside_us(const char *name, char path[PATH_MAX]);

/* MPJ's launcher: beside this program as it was built or installed, written to `path`; or the
 * one in PATH. */
const char *bench_mpjrun(char path[PATH_MAX]);

bool bench_engine_chosen(enum bench_engine e, const struct bench_options *o);

/* Seconds after which a run of a worker is ended from outside: its own deadline
 * and some time for the case that it was in. */
double bench_engine_limit(const struct bench_options *o);

/* Compose the command that runs e's worker with p ranks. *c must stay where it
 * is while argv is used.
 * False, with the reason in why[size], if the worker was not built; that of an MPI in a folder is
 * built when it is wanted first. */
bool bench_engine_command(enum bench_engine e, int p, const struct bench_options *o,
                          struct bench_command *c, char *why, int size);

#endif
