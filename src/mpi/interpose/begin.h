/* This header declares the beginning of the interposer. */
#ifndef MPJ_SRC_MPI_INTERPOSE_BEGIN_H
#define MPJ_SRC_MPI_INTERPOSE_BEGIN_H

#include "mpi/interpose/begun.h"

/* Begin if all processes are in the caller's blocking collective on `comm`; else nothing
 * happens, and the next such call may do it. What is called is the same for all of them. */
void interposer_begin_late(MPI_Comm comm);

#endif
