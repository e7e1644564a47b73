/* This header declares what hangs on a converted MPI communicator. */
#ifndef MPJ_SRC_MPI_COMM_H
#define MPJ_SRC_MPI_COMM_H

#include "mpi/interop.h"

struct mpi_comm_of {
  MPJ_Comm comm;
  bool owned; /* freed with the MPI communicator */
  int rank, size;
};

/* What MPJ_Comm_from_mpi made of it, or NULL. No communication. Threads: any. */
const struct mpi_comm_of *mpi_comm_look(MPI_Comm mpi);

/* A number, at least 1, that grows whenever a converted communicator is given up: until then a
 * handle of one means what it meant. Threads: any. */
unsigned long mpi_comm_generation(void);

/* Give up what MPJ_Comm_from_mpi made of it, before MPI frees it. */
void mpi_comm_give_up(MPI_Comm mpi);

#endif
