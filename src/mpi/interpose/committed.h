/* This header declares whether a program has committed a type. Threads: any. */
#ifndef MPJ_SRC_MPI_INTERPOSE_COMMITTED_H
#define MPJ_SRC_MPI_INTERPOSE_COMMITTED_H

#include "mpi/interop.h"

/* Not of MPI_DATATYPE_NULL. The program converts the type now, if it is. */
bool type_is_committed(MPI_Datatype mpi);

/* Between MPI_Init and MPI_Finalize, once; without it every type counts as committed. */
void committed_begin(void);
void committed_end(void);

#endif
