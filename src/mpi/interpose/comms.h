/* This header declares the conversion of a communicator that a program has just made. */
#ifndef MPJ_SRC_MPI_INTERPOSE_COMMS_H
#define MPJ_SRC_MPI_INTERPOSE_COMMS_H

#include "mpi/interop.h"

/* Convert *made, where the call that made it gave `code` and there is one. All its processes call
 * it; whether it fails is the same for all of them, and it is then not served. */
void comms_convert(int code, const MPI_Comm *made);

/* As much for one that came up in another way (MPI_Comm_idup's, a session's), in its first
 * blocking collective: all its processes call this in it. Whether it can be served now; if not, it
 * never will be. */
bool comms_adopt(MPI_Comm comm);

/* Once, after MPI_COMM_WORLD was converted; nothing is adopted before. */
void comms_begin(void);

#endif
