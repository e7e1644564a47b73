/* This file finds whether a type is committed, which MPI does not tell of but by refusing to send.
 */
#include "mpi/interpose/arguments/committed.h"

#include <stdint.h>

enum { KNOWN = 64 };

/* One that is goes on to be until it is freed, so MPI is asked once a generation. */
bool type_is_committed(MPI_Datatype mpi)
{
  static _Thread_local struct {
    unsigned long generation;
    MPI_Datatype mpi;
  } known[KNOWN];
  const unsigned long now = mpi_generation();
  const uint64_t hash = (uint64_t)(uintptr_t)mpi * UINT64_C(0x9e3779b97f4a7c15);
  const unsigned slot = (unsigned)(hash >> 58);
  if (known[slot].generation == now && known[slot].mpi == mpi) return true;
  if (mpi_named_find(mpi) != MPJ_DATATYPE_NULL) return true;
  const MPI_Comm quiet = mpi_quiet();
  if (quiet == MPI_COMM_NULL) return true;
  if (PMPI_Send(known, 1, mpi, MPI_PROC_NULL, 0, quiet)) return false; /* of nothing, to nobody */
  known[slot].generation = now;
  known[slot].mpi = mpi;
  return true;
}
