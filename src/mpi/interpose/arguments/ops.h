/* This header declares the MPJ operations of a call's arguments. */
#ifndef MPJ_SRC_MPI_INTERPOSE_ARGUMENTS_OPS_H
#define MPJ_SRC_MPI_INTERPOSE_ARGUMENTS_OPS_H

#include "mpi/convert/interop.h"

/* The operation on elements of `type`; borrowed, kept for good. False where MPI would call the
 * arguments wrong. Threads: any. */
bool op_of(MPI_Op op, MPI_Datatype type, MPJ_Op *made);

/* Take an operation from the program, to be freed later. An MPI error code. */
int ops_free_later(MPI_Op *op);

/* ops_later.c: free the operations that MPI_Op_free was called for while served calls could need
 * them: none is under way now. */
void ops_release(void);

#endif
