/* This header declares the conversion of a communicator that a program has just made. */
#ifndef MPJ_SRC_MPI_INTERPOSE_COMMS_H
#define MPJ_SRC_MPI_INTERPOSE_COMMS_H

#include "mpi/interop.h"

/* Convert *made, where the call that made it gave `code` and there is one. All its processes call
 * it; whether it fails is the same for all of them, and it is then not served. */
void comms_convert(int code, const MPI_Comm *made);

#endif
