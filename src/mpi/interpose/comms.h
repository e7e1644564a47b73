/* This header declares the conversion of a program's communicators. */
#ifndef MPJ_SRC_MPI_INTERPOSE_COMMS_H
#define MPJ_SRC_MPI_INTERPOSE_COMMS_H

#include "mpi/convert/interop.h"

/* Convert a communicator that is not yet, in a blocking collective on it, or in the making of a
 * persistent request (`lasts`): all its processes call this in it. Whether it is converted now, the
 * same for all of them. Where not, the next such calls try again (*soon: as another thread was
 * converting one, or several threads may call and it has seen few collectives), or some of them. */
bool comms_adopt(MPI_Comm comm, bool lasts, bool *soon);

/* Whether it could be converted: it is of one group. No communication. */
bool comms_may_adopt(MPI_Comm comm);

#endif
