/* This header declares the conversion of a program's communicators. */
#ifndef MPJ_SRC_MPI_INTERPOSE_COMMS_H
#define MPJ_SRC_MPI_INTERPOSE_COMMS_H

#include "mpi/convert/interop.h"

/* Convert a communicator that is not yet, in a blocking collective on it: all its processes
 * call this in it. Whether it is converted now, the same for all of them. Where not, the next such
 * call tries again (*soon: another thread was converting one), or some of the next. */
bool comms_adopt(MPI_Comm comm, bool *soon);

/* Whether it could be converted: it is of one group. No communication. */
bool comms_may_adopt(MPI_Comm comm);

#endif
