/* This header declares what hangs on a converted MPI communicator. */
#ifndef MPJ_SRC_MPI_CONVERT_COMM_H
#define MPJ_SRC_MPI_CONVERT_COMM_H

#include "mpi/convert/interop.h"

struct mpi_comm_of {
  MPJ_Comm comm;
  bool owned; /* freed with the MPI communicator */
  int rank, size;
};

/* Make `comm`, which is not freed with it, what hangs on an MPI communicator: its rank and size
 * are those there. */
int mpi_comm_keep(MPI_Comm mpi, MPJ_Comm comm);

/* Whether it is MPJ_COMM_WORLD with MPI_COMM_WORLD's ranks. */
bool mpi_comm_is_world(MPJ_Comm comm);

/* --- the other way round (comm_link.c) --- */

/* From now on `mpi` is what MPJ_Comm_to_mpi gives for comm. `ours`: made for it, and freed
 * with it. */
int mpi_comm_link(MPJ_Comm comm, MPI_Comm mpi, bool ours);

/* Whether there is one: then it is *mpi. */
bool mpi_comm_linked(MPJ_Comm comm, MPI_Comm *mpi);

/* The MPI communicator is being freed. */
void mpi_comm_unlink(MPJ_Comm comm);

/* What MPJ_Comm_from_mpi made of it, or NULL. No communication. Threads: any. */
const struct mpi_comm_of *mpi_comm_look(MPI_Comm mpi);

/* A number, at least 1, that grows whenever a converted communicator is given up: until then a
 * handle of one means what it meant. Threads: any. */
unsigned long mpi_comm_generation(void);

/* Give up what MPJ_Comm_from_mpi made of it, before MPI frees it. */
void mpi_comm_give_up(MPI_Comm mpi);

#endif
