/* This header declares how a process joins by an MPI that runs in it already. The core
 * links none: it looks for libmpj-mpi-<mpi> among what the process has loaded. */
#ifndef MPJ_SRC_NET_BOOT_MPI_H
#define MPJ_SRC_NET_BOOT_MPI_H

#include <stdbool.h>

#include "net/net.h"

/* Whether such a library is loaded, and its MPI initialised and not finalised. */
bool mpj_mpi_runs(void);

/* Open this process's endpoint among those of MPI_COMM_WORLD, all of whom call it. *net is
 * NULL where there is one alone. Errors: MPJ_ERR_UNSUPPORTED (no such library, no MPI that
 * runs), as mpj_boot_peers. */
int mpj_boot_mpi(struct mpj_net **net);

#endif
