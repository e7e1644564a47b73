/* This header declares how mpjrun runs an MPI program. */
#ifndef MPJ_TOOLS_MPJRUN_MPI_H
#define MPJ_TOOLS_MPJRUN_MPI_H

#include "mpjrun/options.h"

/* Become the launcher of the program's MPI library, with the interposer loaded into its ranks.
 * Returns only if that cannot be: the code to exit with (one sentence on stderr says why). */
int mpi_become(const struct options *options);

#endif
