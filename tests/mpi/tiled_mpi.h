/* This header declares a seeded generator of random MPI datatypes that receive: no two elements
 * overlap, in one instance or in several next to each other. */
#ifndef MPJ_TESTS_MPI_TILED_MPI_H
#define MPJ_TESTS_MPI_TILED_MPI_H

#include <mpi.h>
#include <stdint.h>

/* A stream of random numbers, any seed; equal seeds, equal streams. */
struct stream {
  uint64_t state;
};

/* A number in [low, high]. */
int stream_in(struct stream *s, int low, int high);

/* Bytes from the lower to the upper bound are at most TILED_EXTENT; lower bounds are at least
 * -TILED_EXTENT. */
enum { TILED_EXTENT = 1024 };

/* A committed type of at most `depth` constructors over one another; the caller releases
 * it with tiled_mpi_free. */
MPI_Datatype tiled_mpi(struct stream *s, int depth);
void tiled_mpi_free(MPI_Datatype *type);

/* The same data as n elements of `type`, said in another way: *count elements of what is
 * returned, which is committed and the caller's, and spans at most twice as many bytes. */
MPI_Datatype tiled_mpi_other(struct stream *s, int n, MPI_Datatype type, int *count);

#endif
