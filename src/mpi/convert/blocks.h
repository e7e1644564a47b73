/* This header declares a datatype's outermost blocks as a list. */
#ifndef MPJ_SRC_MPI_CONVERT_BLOCKS_H
#define MPJ_SRC_MPI_CONVERT_BLOCKS_H

#include "mpi/convert/interop.h"

/* Block i is lengths[i] copies, one extent apart, of the call's type child[i] (0 where
 * child is NULL), the first at displs[i] bytes. Owned: mpi_blocks_free. */
struct mpi_blocks {
  MPJ_Count n;
  MPJ_Count *lengths;
  MPJ_Aint *displs;
  MPJ_Count *child;
};

/* Of every constructor but DUP, RESIZED, NAMED, SLICE and those of arrays. To be freed
 * after a failure, too. */
int mpi_blocks_of(const struct mpi_call *call, struct mpi_blocks *blocks);
void mpi_blocks_free(struct mpi_blocks *blocks);

#endif
