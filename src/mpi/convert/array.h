/* This header declares MPI types of arrays. */
#ifndef MPJ_SRC_MPI_CONVERT_ARRAY_H
#define MPJ_SRC_MPI_CONVERT_ARRAY_H

#include "mpi/convert/interop.h"

/* Stretches of indices of one dimension, ascending. Owned: mpi_runs_free, also after a
 * failure to make them. */
struct mpi_runs {
  MPJ_Count n;
  MPJ_Count *starts, *lengths;
};

int mpi_runs_one(MPJ_Count start, MPJ_Count length, struct mpi_runs *runs);
/* What process coord of nprocs owns of `size` indices dealt out in blocks. */
int mpi_runs_cyclic(MPJ_Count size, MPJ_Count block, MPJ_Count coord, MPJ_Count nprocs,
                    struct mpi_runs *runs);
void mpi_runs_free(struct mpi_runs *runs);

/* The elements of an array of sizes[ndims] olds whose index in each dimension d lies in
 * runs[d], in array order (MPJ_ORDER_C or _FORTRAN); extent that of the array. */
int mpi_array_of_runs(int ndims, const MPJ_Count sizes[], const struct mpi_runs runs[], int order,
                      MPI_Datatype old, MPI_Datatype *made);

/* Of the counts of a SUBARRAY or a DARRAY (mpj/introspect.h), not empty. */
int mpi_make_subarray(const MPJ_Count counts[], MPI_Datatype old, MPI_Datatype *made);
int mpi_make_darray(const MPJ_Count counts[], MPI_Datatype old, MPI_Datatype *made);

#endif
