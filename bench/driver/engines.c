/* This file composes the command that runs a worker on each engine. */
#include "engines.h"

#include "peers.h"

#include <libgen.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double case_grace = 30; /* seconds */

const char *const bench_engine_names[BENCH_NENGINES] = {
    "mpj shm", "mpj threads", "mpich",         "openmpi",          "openmpi-sm",
    "mpich:",  "ompi:",       "other mpj shm", "other mpj threads"};
static const char *const worker_names[BENCH_NENGINES] = {
    "coll_mpj", "coll_mpj", "coll_mpich", "coll_openmpi", "coll_openmpi",
    NULL,       NULL,       "coll_mpj",   "coll_mpj"};

bool bench_engine_chosen(enum bench_engine e, const struct bench_options *o)
{
  switch (e) {
  case BENCH_MPJ_SHM:
    return o->transports[BENCH_SHM];
  case BENCH_MPJ_THREADS:
    return o->transports[BENCH_THREADS];
  case BENCH_OTHER_SHM:
    return o->peers[BENCH_PEER_MPJ] && o->transports[BENCH_SHM];
  case BENCH_OTHER_THREADS:
    return o->peers[BENCH_PEER_MPJ] && o->transports[BENCH_THREADS];
  default:
    return o->peers[e - BENCH_MPICH];
  }
}

double bench_engine_limit(const struct bench_options *o)
{
  return o->timeout_s + case_grace;
}

static bool is_program(const char *path)
{
  struct stat s;
  return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

bool bench_beside_us(const char *name, char path[PATH_MAX])
{
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n < 0) return false;
  self[n] = '\0';
  n = snprintf(path, PATH_MAX, "%s/%s", dirname(self), name);
  return n < PATH_MAX && is_program(path);
}

const char *bench_mpjrun(char path[PATH_MAX])
{
  const bool found = bench_beside_us("../tools/mpjrun", path) ||
                     bench_beside_us("../tools/mpjrun/mpjrun", path) ||
                     bench_beside_us("mpjrun", path);
  return found ? path : "mpjrun";
}

static int cores(void)
{
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

void bench_command_add(struct bench_command *c, const char *text)
{
  int n = 0;
  while (c->argv[n])
    n++;
  c->argv[n] = (char *)(uintptr_t)text; /* exec's argv is not const; nobody writes */
  c->argv[n + 1] = NULL;
}

/* Begin a command of the MPJ that is installed in `prefix`: its library takes the place of the one
 * that the worker was linked with. False, and why, if there is none. */
static bool add_other_mpj(struct bench_command *c, const char *prefix, char *why, int size)
{
  char folder[PATH_MAX];
  if (!bench_peers_library(prefix, folder, why, size)) return false;
  snprintf(c->library_path, sizeof c->library_path, "LD_LIBRARY_PATH=%s", folder);
  snprintf(c->mpjrun, sizeof c->mpjrun, "%s/bin/mpjrun", prefix);
  bench_command_add(c, "env");
  bench_command_add(c, c->library_path);
  return true;
}

static void add_mpjrun(struct bench_command *c, const char *mpjrun, const struct bench_options *o)
{
  bench_command_add(c, mpjrun);
  snprintf(c->limit, sizeof c->limit, "%.0f", bench_engine_limit(o));
  bench_command_add(c, "--bind");
  bench_command_add(c, "--timeout");
  bench_command_add(c, c->limit);
  bench_command_add(c, "-n");
  bench_command_add(c, c->p);
}

static void add_mpich(struct bench_command *c, const char *preload)
{
  bench_command_add(c, c->mpiexec);
  if (preload) {
    bench_command_add(c, "-genv");
    bench_command_add(c, "LD_PRELOAD");
    bench_command_add(c, preload);
  }
}

/* Ranks beyond the cores must be asked for, and then yield, as Open MPI's do by
 * themselves where it knows the number of cores. */
static void add_openmpi(struct bench_command *c, int p, bool prefer_sm, const char *preload)
{
  bench_command_add(c, c->mpiexec);
  bench_command_add(c, "--oversubscribe");
  bench_command_add(c, "--allow-run-as-root");
  if (p > cores()) {
    bench_command_add(c, "--mca");
    bench_command_add(c, "mpi_yield_when_idle");
    bench_command_add(c, "1");
  }
  if (prefer_sm) {
    bench_command_add(c, "--mca");
    bench_command_add(c, "coll_sm_priority");
    bench_command_add(c, "100");
  }
  if (!preload) return;
  snprintf(c->preload, sizeof c->preload, "LD_PRELOAD=%s", preload);
  bench_command_add(c, "-x");
  bench_command_add(c, c->preload);
}

static bool is_mpich(enum bench_peer peer)
{
  return peer == BENCH_PEER_MPICH || peer == BENCH_PEER_MPICH_AT;
}

static const char *mpi_of(enum bench_peer peer)
{
  return is_mpich(peer) ? "mpich" : "openmpi";
}

void bench_command_by_peer(struct bench_command *c, enum bench_peer peer, const char *prefix, int p,
                           const char *preload)
{
  c->argv[0] = NULL;
  snprintf(c->p, sizeof c->p, "%d", p);
  snprintf(c->mpiexec, sizeof c->mpiexec, "mpiexec.%s", mpi_of(peer));
  if (prefix[0]) {
    bench_peers_program(prefix, "mpiexec", mpi_of(peer), c->mpiexec);
    snprintf(c->library_path, sizeof c->library_path, "LD_LIBRARY_PATH=%s/lib", prefix);
    bench_command_add(c, "env");
    bench_command_add(c, c->library_path);
  }
  if (is_mpich(peer))
    add_mpich(c, preload);
  else
    add_openmpi(c, p, peer == BENCH_PEER_OPENMPI_SM, preload);
  bench_command_add(c, "-n");
  bench_command_add(c, c->p);
}

void bench_command_add_options(struct bench_command *c, const struct bench_options *o)
{
  const char *const options[][2] = {{"--ops", o->ops},         {"--sizes", o->sizes},
                                    {"--orders", o->orders},   {"--timings", o->timings},
                                    {"--buffers", o->buffers}, {"--seconds", o->seconds},
                                    {"--deadline", o->timeout}};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    bench_command_add(c, options[i][0]);
    bench_command_add(c, options[i][1]);
  }
}

/* c->worker := the engine's. */
static bool find_worker(enum bench_engine e, const struct bench_options *o, struct bench_command *c,
                        char *why, int size)
{
  static char compiled[BENCH_NENGINES][PATH_MAX];
  if (!worker_names[e]) {
    const enum bench_peer peer = (enum bench_peer)(e - BENCH_MPICH);
    if (!compiled[e][0] &&
        !bench_peers_compile(o->prefix[peer], mpi_of(peer), compiled[e], why, size))
      return false;
    memcpy(c->worker, compiled[e], PATH_MAX);
    return true;
  }
  if (bench_beside_us(worker_names[e], c->worker)) return true;
  snprintf(why, (size_t)size, "%s is not beside mpj-bench: it was not built", worker_names[e]);
  return false;
}

bool bench_engine_command(enum bench_engine e, int p, const struct bench_options *o,
                          struct bench_command *c, char *why, int size)
{
  c->argv[0] = NULL;
  snprintf(c->p, sizeof c->p, "%d", p);
  if (!find_worker(e, o, c, why, size)) return false;
  if (bench_engine_is_other(e) && !add_other_mpj(c, o->prefix[BENCH_PEER_MPJ], why, size))
    return false;
  if (e == BENCH_MPJ_SHM) add_mpjrun(c, o->mpjrun ? o->mpjrun : bench_mpjrun(c->mpjrun), o);
  if (e == BENCH_OTHER_SHM) add_mpjrun(c, c->mpjrun, o);
  if (!bench_engine_is_mpj(e) && !bench_engine_is_other(e))
    bench_command_by_peer(c, (enum bench_peer)(e - BENCH_MPICH), o->prefix[e - BENCH_MPICH], p,
                          NULL);
  bench_command_add(c, c->worker);
  bench_command_add_options(c, o);
  const bool threads = e == BENCH_MPJ_THREADS || e == BENCH_OTHER_THREADS;
  bench_command_add(c, threads ? "--threads" : "--ranks");
  bench_command_add(c, c->p);
  return true;
}
