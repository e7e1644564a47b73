/* This file asks the MPI library what it says of aliased buffers. */
#include "mpi/interpose/arguments/alias.h"

#include <stdint.h>

/* Bytes of one element without gaps; 0 where it has some. The last one is remembered, as MPI takes
 * its time to tell. */
static MPJ_Count dense_bytes(MPI_Datatype type)
{
  static _Thread_local struct {
    MPI_Datatype type;
    unsigned long generation;
    MPJ_Count bytes;
  } last;
  MPJ_Count size = 0;
  MPJ_Aint lb = 0, extent = 0;
  const unsigned long now = mpi_generation();
  if (last.generation == now && last.type == type) return last.bytes;
  if (mpi_size(type, &size) || mpi_bounds(type, &lb, &extent) || lb != 0 || size != extent)
    size = 0;
  last.type = type;
  last.generation = now;
  last.bytes = size;
  return size;
}

bool alias_is_part(const void *buf, const void *parts, MPI_Count displ, MPI_Datatype type)
{
  const uintptr_t distance = (uintptr_t)buf - (uintptr_t)parts;
  if (buf == MPI_IN_PLACE || parts == MPI_BOTTOM || type == MPI_DATATYPE_NULL) return false;
  if (displ < 0 || distance < (uintptr_t)displ) return false;
  const MPJ_Count bytes = displ > 0 && distance % (uintptr_t)displ != 0 ? 0 : dense_bytes(type);
  return bytes > 0 && distance == (uintptr_t)displ * (uintptr_t)bytes;
}

/* Ints of one process; n, 1 or 2, of reductions, else one. The lists of v and w calls are of
 * nothing: a library that does not look at the buffers may not survive a copy of data onto itself
 * there. */
static int call(enum collective collective, int n, MPI_Comm comm)
{
  int b[2] = {0};
  const int one[1] = {1}, none[1] = {0};
  const MPI_Datatype types[1] = {MPI_INT};
  switch (collective) {
  case GATHER:
    return PMPI_Gather(b, 1, MPI_INT, b, 1, MPI_INT, 0, comm);
  case GATHERV:
    return PMPI_Gatherv(b, 1, MPI_INT, b, one, none, MPI_INT, 0, comm);
  case SCATTER:
    return PMPI_Scatter(b, 1, MPI_INT, b, 1, MPI_INT, 0, comm);
  case SCATTERV:
    return PMPI_Scatterv(b, one, none, MPI_INT, b, 1, MPI_INT, 0, comm);
  case ALLGATHER:
    return PMPI_Allgather(b, 1, MPI_INT, b, 1, MPI_INT, comm);
  case ALLGATHERV:
    return PMPI_Allgatherv(b, 1, MPI_INT, b, one, none, MPI_INT, comm);
  case ALLTOALL:
    return PMPI_Alltoall(b, 1, MPI_INT, b, 1, MPI_INT, comm);
  case ALLTOALLV:
    return PMPI_Alltoallv(b, none, none, MPI_INT, b, none, none, MPI_INT, comm);
  case ALLTOALLW:
    return PMPI_Alltoallw(b, none, none, types, b, none, none, types, comm);
  case REDUCE:
    return PMPI_Reduce(b, b, n, MPI_INT, MPI_SUM, 0, comm);
  case ALLREDUCE:
    return PMPI_Allreduce(b, b, n, MPI_INT, MPI_SUM, comm);
  case REDUCE_SCATTER:
    return PMPI_Reduce_scatter(b, b, one, MPI_INT, MPI_SUM, comm);
  case REDUCE_SCATTER_BLOCK:
    return PMPI_Reduce_scatter_block(b, b, 1, MPI_INT, MPI_SUM, comm);
  case SCAN:
    return PMPI_Scan(b, b, n, MPI_INT, MPI_SUM, comm);
  case EXSCAN:
    return PMPI_Exscan(b, b, n, MPI_INT, MPI_SUM, comm);
  case BARRIER:
  case BCAST:
  case COLLECTIVES:
    break;
  }
  return MPI_SUCCESS;
}

bool alias_is_refused(enum collective collective, MPI_Count count)
{
  static signed char answers[COLLECTIVES][2]; /* of one element, of more: 1: yes, -1: no; atomic */
  signed char *known = &answers[collective][count > 1];
  signed char answer = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (answer == 0) {
    const MPI_Comm quiet = mpi_quiet();
    answer = quiet != MPI_COMM_NULL && call(collective, count > 1 ? 2 : 1, quiet) != MPI_SUCCESS
                 ? 1
                 : -1;
    __atomic_store_n(known, answer, __ATOMIC_RELAXED);
  }
  return answer > 0;
}
