/* This header declares how a datatype and an MPI datatype are compared. */
#ifndef MPJ_TESTS_MPI_COMPARE_H
#define MPJ_TESTS_MPI_COMPARE_H

#include <mpj/mpi.h>

/* Fail the test unless bounds, true bounds, size and packed bytes of a fixed memory
 * (where no elements overlap) are equal; `what` says which types they are. Both are committed. */
void compare_with_mpi(MPJ_Datatype type, MPI_Datatype mpi, const char *what);

#endif
