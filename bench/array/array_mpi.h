/* This header is what the workers over an MPI have in common. */
#ifndef MPJ_BENCH_ARRAY_MPI_H
#define MPJ_BENCH_ARRAY_MPI_H

#include <mpi.h>

#include "array_peer.h"

static inline void mpi_know(void)
{
  MPI_Comm_rank(MPI_COMM_WORLD, &array_peer.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &array_peer.size);
}

static inline void mpi_begin(int *argc, char ***argv)
{
  MPI_Init(argc, argv);
  mpi_know();
}

static inline void mpi_end(void)
{
  MPI_Finalize();
}

static inline void mpi_barrier(void)
{
  MPI_Barrier(MPI_COMM_WORLD);
}

static inline double mpi_most(double mine)
{
  double all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

static inline uint64_t mpi_sum(uint64_t mine)
{
  uint64_t all;
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

#define ARRAY_MPI_WORLD .barrier = mpi_barrier, .most = mpi_most, .sum = mpi_sum

#endif
