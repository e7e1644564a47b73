/* This file chooses what brings messages to ranks of other nodes. */
#include "net/boot/ways.h"

#include "base/config/config.h"
#include "base/status.h"
#include "net/mpi/mpi.h"
#include "net/ucx/ucx.h"

/* The words of MPJ_TRANSPORT. */
enum { AUTO, SHM, UCX, MPI, SHM_AND_MPI };

bool mpj_ways_share_memory(void)
{
  const int asked = mpj_config()->transport;
  return asked != UCX && asked != MPI;
}

bool mpj_ways_need_one_node(void)
{
  return mpj_config()->transport == SHM;
}

static int open_mpi(const struct mpj_launch *launch, struct mpj_carrier **carrier)
{
  return mpj_mpi_open(launch->messages, launch->rank, launch->size, carrier);
}

/* Whether some rank lacks what this one has opened with `status`; *lacking is the same on all. */
static int hear_who_lacks(struct mpj_launch *launch, int status, bool *lacking)
{
  const int32_t mine = status;
  *lacking = false;
  int heard = mpj_launch_publish(launch, &mine, sizeof mine);
  if (heard == MPJ_SUCCESS) heard = mpj_launch_fence(launch);
  for (int rank = 0; rank < launch->size && heard == MPJ_SUCCESS; rank++) {
    int32_t theirs = 0;
    size_t bytes = 0;
    heard = mpj_launch_fetch(launch, rank, &theirs, sizeof theirs, &bytes);
    if (heard == MPJ_SUCCESS && bytes != sizeof theirs)
      heard = mpj_error(MPJ_ERR_FORMAT, "rank %d says in %zu bytes what it lacks", rank, bytes);
    if (theirs != MPJ_SUCCESS) *lacking = true;
  }
  return heard;
}

/* UCX if all ranks have it, else MPI. */
static int open_best(struct mpj_launch *launch, struct mpj_carrier **carrier)
{
  struct mpj_carrier *ucx;
  bool lacking;
  const int opened = mpj_ucx_open(launch->rank, launch->size, &ucx);
  const int heard = hear_who_lacks(launch, opened, &lacking); /* also if it has failed here */
  if (opened != MPJ_SUCCESS && opened != MPJ_ERR_UNSUPPORTED) return opened;
  if (heard == MPJ_SUCCESS && !lacking) {
    *carrier = ucx;
    return MPJ_SUCCESS;
  }
  if (opened == MPJ_SUCCESS)
    ucx->ops->close(ucx);
  else
    mpj_error_drop();
  return heard == MPJ_SUCCESS ? open_mpi(launch, carrier) : heard;
}

int mpj_ways_open(struct mpj_launch *launch, bool messages, struct mpj_carrier **carrier)
{
  const int asked = mpj_config()->transport;
  if (asked == MPI || asked == SHM_AND_MPI) return open_mpi(launch, carrier);
  if (asked == AUTO && messages) return open_best(launch, carrier);
  return mpj_ucx_open(launch->rank, launch->size, carrier);
}
