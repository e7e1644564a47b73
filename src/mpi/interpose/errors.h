/* This header declares how MPJ's statuses become MPI's error codes. */
#ifndef MPJ_SRC_MPI_INTERPOSE_ERRORS_H
#define MPJ_SRC_MPI_INTERPOSE_ERRORS_H

#include <mpi.h>

/* MPI's error class of an error of MPJ's. */
int mpi_error_class(int status);

/* MPI's error code of MPJ's status, after the communicator's error handler heard of it. */
int mpi_error_of(int status, MPI_Comm comm);

#endif
