/* This file lets processes meet by the MPI that runs in them. */
#include "net/boot/mpi.h"

#include <dlfcn.h>
#include <string.h>

#include "base/status.h"
#include "net/boot/peers.h"

typedef int peers_fn(struct MPJ_Peers *peers);
typedef int flag_fn(int *flag);

/* The address of a loaded function in *fn, a pointer to a function; or NULL there. */
static void find(const char *name, void *fn)
{
  void *address = dlsym(RTLD_DEFAULT, name);
  memcpy(fn, &address, sizeof address);
}

/* Of MPI's own, so that nobody who stands in for it sees the call. */
static bool says(const char *name)
{
  flag_fn *ask;
  int flag = 0;
  find(name, &ask);
  return ask && ask(&flag) == 0 && flag;
}

bool mpj_mpi_runs(void)
{
  peers_fn *peers_of;
  find("MPJ_Peers_from_mpi", &peers_of);
  return peers_of && says("PMPI_Initialized") && !says("PMPI_Finalized");
}

int mpj_boot_mpi(struct mpj_net **net)
{
  struct MPJ_Peers peers;
  peers_fn *peers_of;
  find("MPJ_Peers_from_mpi", &peers_of);
  if (!peers_of)
    return mpj_error(MPJ_ERR_UNSUPPORTED,
                     "MPJ_BOOT is mpi, but no libmpj-mpi-mpich or libmpj-mpi-openmpi is loaded");
  if (!mpj_mpi_runs())
    return mpj_error(MPJ_ERR_UNSUPPORTED, "MPJ_BOOT is mpi, but MPI is not initialised, or "
                                          "finalised already");
  const int status = peers_of(&peers);
  return status == MPJ_SUCCESS ? mpj_boot_peers(&peers, net) : status;
}
