/* This header declares a seeded generator of random MPI datatypes of every combiner. */
#ifndef MPJ_TESTS_MPI_RANDOM_MPI_H
#define MPJ_TESTS_MPI_RANDOM_MPI_H

#include <mpi.h>

#include "types/random_type.h"

/* A type of at most `depth` constructors over one another, a few hundred elements and
 * some 10,000 bytes; not committed. The caller releases it with random_mpi_free. */
MPI_Datatype random_mpi(struct mpj_random *rng, int depth);
void random_mpi_free(MPI_Datatype *type);

#endif
