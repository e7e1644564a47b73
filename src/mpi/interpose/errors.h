/* This header declares how MPJ's statuses become MPI's error codes: codes of their own, whose text
 * is MPJ's sentence and whose class is the MPI one that says the same. Threads: any. */
#ifndef MPJ_SRC_MPI_INTERPOSE_ERRORS_H
#define MPJ_SRC_MPI_INTERPOSE_ERRORS_H

#include "mpi/interpose/call.h"

/* This thread's error detail is the sentence of `status` from now on; nothing on success. It names
 * the program's own call where MPJ's names the one that was made of it; a NULL call names none.
 * MPI is not called. */
void mpi_error_keep(int status, const struct call *call);

/* MPI's error code of MPJ's status, with the sentence that was kept last, after the communicator's
 * error handler heard of it. */
int mpi_error_call(int status, MPI_Comm comm);

/* The same for a status that this thread has just got. */
int mpi_error_of(int status, const struct call *call, MPI_Comm comm);

/* The error of a collective in a forked child of a rank. */
int mpi_error_in_child(const struct call *call, MPI_Comm comm);

#endif
