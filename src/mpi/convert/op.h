/* This header declares which of MPI's operations MPJ has itself. */
#ifndef MPJ_SRC_MPI_CONVERT_OP_H
#define MPJ_SRC_MPI_CONVERT_OP_H

#include "mpi/convert/interop.h"

enum mpi_op_kind {
  MPI_OP_OURS,    /* MPJ's own does the same on these elements */
  MPI_OP_APPLIED, /* applied by MPI_Reduce_local */
  MPI_OP_WRONG    /* predefined, and not for these elements */
};

/* *ours is set for the first kind. */
enum mpi_op_kind mpi_op_classify(MPI_Op mpi, MPI_Datatype elemtype, MPJ_Op *ours);

/* "MPI_SUM", of a predefined one. */
const char *mpi_op_name(MPI_Op mpi);

/* MPI's operation of a predefined one of ours; MPI_OP_NULL if there is none. */
MPI_Op mpi_op_of_predefined(MPJ_Op ours);

/* The operation that applies `mpi` to elements of elemtype: the library's, kept for good, one
 * for each pair of operation and type map. */
int mpi_op_applied(MPI_Op mpi, MPI_Datatype elemtype, MPJ_Op *op);

/* Free all of these: none is used any more, and MPI is about to end. */
void mpi_ops_end(void);

#endif
