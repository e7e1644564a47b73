/* This file finds out who started this process, and opens its endpoint. */
#include "net/boot/boot.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/config/config.h"
#include "base/status.h"
#include "net/boot/join.h"
#include "net/boot/mpi.h"
#include "net/boot/ways.h"
#include "net/chaos/chaos.h"
#include "net/shm/shm.h"

/* The words of MPJ_BOOT. */
enum { BOOT_AUTO, BOOT_MPJRUN, BOOT_PMI, BOOT_PMIX, BOOT_SINGLE, BOOT_MPI };

/* mpjrun */

static bool is_ours(void)
{
  const struct mpj_config *c = mpj_config();
  return c->rank >= 0 || c->size >= 0 || c->segment_fd >= 0;
}

static int open_segment(struct mpj_net **net)
{
  const struct mpj_config *c = mpj_config();
  if (c->rank < 0 || c->size < 1 || c->segment_fd < 0 || c->rank >= c->size)
    return mpj_error(MPJ_ERR_ARG,
                     "MPJ_RANK is %ld, MPJ_SIZE is %ld and MPJ_SEGMENT_FD is %ld: no launcher sets "
                     "them so",
                     c->rank, c->size, c->segment_fd);
  const int status = mpj_shm_open((int)c->segment_fd, (int)c->rank, mpj_ways_share_memory(), net);
  if (status != MPJ_SUCCESS || (*net)->size == c->size) return status;
  const int found = (*net)->size;
  mpj_net_close(*net, MPJ_RANK_DEAD, 0);
  *net = NULL;
  return mpj_error(MPJ_ERR_ARG, "MPJ_SIZE is %ld, the job's segment has %d ranks", c->size, found);
}

static int boot_mpjrun(struct mpj_net **net)
{
  struct mpj_net *local;
  int status = open_segment(&local);
  if (status != MPJ_SUCCESS) return status;
  *net = local;
  if (mpj_ways_share_memory() || local->size == 1) return MPJ_SUCCESS;
  *net = NULL;
  status = mpj_boot_join_over_network(local, net);
  if (status != MPJ_SUCCESS) mpj_net_close(local, MPJ_RANK_DEAD, 0); /* nobody waits for it */
  return status;
}

/* PMI-1 */

/* The number in a launcher's variable, from `least` up; -1 with an error if it is
 * none. */
static int number_in(const char *variable, long least)
{
  const char *text = getenv(variable);
  char *end;
  errno = 0;
  const long value = text ? strtol(text, &end, 10) : -1;
  if (text && *text && *end == 0 && errno == 0 && value >= least && value <= 1000000)
    return (int)value;
  mpj_error(MPJ_ERR_ARG, "%s is %s%s%s: no launcher sets it so", variable, text ? "\"" : "",
            text ? text : "not set", text ? "\"" : "");
  return -1;
}

/* Take leave of mpiexec now that the ranks know each other: a rank that dies
 * before it has done so takes all others on its node along, even where mpiexec is
 * to let them live. Where an MPI in this process talks to mpiexec, too, the line
 * is its to close. */
static void leave_early(struct mpj_net *net)
{
  if (dlsym(RTLD_DEFAULT, "MPI_Initialized")) return;
  mpj_launch_end(net->launch);
  net->launch = NULL;
}

static int boot_pmi(struct mpj_net **net)
{
  struct mpj_launch *launch;
  const int fd = number_in("PMI_FD", 0);
  const int size = fd < 0 ? -1 : number_in("PMI_SIZE", 1);
  const int rank = size < 0 ? -1 : number_in("PMI_RANK", 0);
  if (rank < 0) return MPJ_ERR_ARG; /* the sentence has been said */
  if (rank >= size)
    return mpj_error(MPJ_ERR_ARG, "PMI_RANK is %d, PMI_SIZE is %d: no launcher sets them so", rank,
                     size);
  if (size == 1) return MPJ_SUCCESS;
  if (fcntl(fd, F_GETFD) < 0)
    return mpj_error(MPJ_ERR_ARG,
                     "PMI_FD is %d, which is not open: set MPJ_BOOT=single if no launcher started "
                     "this process",
                     fd);
  int status = mpj_launch_pmi(fd, rank, size, &launch);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_boot_join(launch, net);
  if (status == MPJ_SUCCESS)
    leave_early(*net);
  else
    mpj_launch_end(launch);
  return status;
}

/* PMIx */

static int boot_pmix(struct mpj_net **net)
{
  struct mpj_launch *launch;
  int status = mpj_launch_pmix(&launch);
  if (status != MPJ_SUCCESS) return status;
  if (launch->size > 1) status = mpj_boot_join(launch, net);
  if (launch->size == 1 || status != MPJ_SUCCESS) mpj_launch_end(launch);
  return status;
}

/* Choice */

static int choose(void)
{
  const int forced = mpj_config()->boot;
  if (forced != BOOT_AUTO) return forced;
  if (is_ours()) return BOOT_MPJRUN;
  if (mpj_mpi_runs()) return BOOT_MPI; /* which has the launcher's ear */
  if (getenv("PMI_FD")) return BOOT_PMI;
  if (getenv("PMIX_NAMESPACE") && getenv("PMIX_RANK")) return BOOT_PMIX;
  return BOOT_SINGLE;
}

static int open_as_started(struct mpj_net **net)
{
  *net = NULL;
  switch (choose()) {
  case BOOT_MPJRUN:
    return boot_mpjrun(net);
  case BOOT_PMI:
    return boot_pmi(net);
  case BOOT_PMIX:
    return boot_pmix(net);
  case BOOT_MPI:
    return mpj_boot_mpi(net);
  default:
    return MPJ_SUCCESS;
  }
}

int mpj_boot_open(struct mpj_net **net)
{
  int status = open_as_started(net);
  if (status == MPJ_SUCCESS) status = mpj_chaos_join(net, true);
  if (status != MPJ_SUCCESS && *net) {
    mpj_net_close(*net, MPJ_RANK_DEAD, 0);
    *net = NULL;
  }
  return status;
}
