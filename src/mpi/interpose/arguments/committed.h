/* This header declares whether a program has committed a type. Threads: any. */
#ifndef MPJ_SRC_MPI_INTERPOSE_ARGUMENTS_COMMITTED_H
#define MPJ_SRC_MPI_INTERPOSE_ARGUMENTS_COMMITTED_H

#include "mpi/convert/interop.h"

/* Not of MPI_DATATYPE_NULL. The program converts the type now, if it is. */
bool type_is_committed(MPI_Datatype mpi);

#endif
