/* This file compares a datatype with an MPI datatype. */
#include "mpi/compare.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

/* Memory in which a type's data lies, all bytes of different values where that is
 * possible; *base is the buffer's address to give. */
static char *memory_of(MPJ_Aint true_lb, MPJ_Aint true_extent, char **base)
{
  char *memory = malloc((size_t)true_extent + 1);
  ck_assert_ptr_nonnull(memory);
  uint32_t state = 12345;
  for (MPJ_Aint i = 0; i < true_extent; i++) {
    state = state * 1664525u + 1013904223u;
    memory[i] = (char)(state >> 24);
  }
  *base = (char *)((uintptr_t)memory - (uintptr_t)true_lb);
  return memory;
}

/* Whether two elements share a byte: Open MPI packs some such types wrongly. */
static bool overlaps(MPJ_Datatype type, MPJ_Count size, MPJ_Aint true_lb, MPJ_Aint true_extent)
{
  char *memory = calloc(1, (size_t)true_extent + 1), *stream = malloc((size_t)size);
  MPJ_Count position = 0, set = 0;
  memset(stream, 1, (size_t)size);
  ck_assert_int_eq(
      MPJ_Unpack(stream, size, &position, (char *)((uintptr_t)memory - (uintptr_t)true_lb), type),
      MPJ_SUCCESS);
  for (MPJ_Aint i = 0; i < true_extent; i++)
    set += memory[i];
  free(memory);
  free(stream);
  return set < size;
}

/* MPICH 4.0.2, having made and freed some thousand types, packs nothing of a byte at a
 * displacement, or too little of a longer type; nor then of one that nobody but MPI has made. */
static bool mpi_loses_bytes(void)
{
  MPI_Datatype byte;
  MPI_Aint at = 8;
  char memory[16] = {0}, packed[4];
  int one = 1, position = 0;
  PMPI_Type_create_hindexed(1, &one, &at, MPI_BYTE, &byte);
  PMPI_Type_commit(&byte);
  PMPI_Pack(memory, 1, byte, packed, (int)sizeof packed, &position, MPI_COMM_SELF);
  PMPI_Type_free(&byte);
  return position == 0;
}

void compare_with_mpi(MPJ_Datatype type, MPI_Datatype mpi, const char *what)
{
  MPJ_Aint lb, extent, true_lb, true_extent;
  MPI_Count mpi_lb, mpi_extent, mpi_true_lb, mpi_true_extent, mpi_size;
  MPJ_Count size;
  ck_assert_int_eq(MPJ_Type_size(type, &size), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_get_extent(type, &lb, &extent), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_get_true_extent(type, &true_lb, &true_extent), MPJ_SUCCESS);
  PMPI_Type_size_x(mpi, &mpi_size);
  PMPI_Type_get_extent_x(mpi, &mpi_lb, &mpi_extent);
  PMPI_Type_get_true_extent_x(mpi, &mpi_true_lb, &mpi_true_extent);
  ck_assert_msg(size == mpi_size, "%s: size %lld, MPI says %lld", what, (long long)size,
                (long long)mpi_size);
  ck_assert_msg(lb == mpi_lb && extent == mpi_extent, "%s: lb %td extent %td, MPI says %lld %lld",
                what, lb, extent, (long long)mpi_lb, (long long)mpi_extent);
  if (size == 0 || overlaps(type, size, true_lb, true_extent)) return;
  char *base, *memory = memory_of(true_lb, true_extent, &base);
  char *ours = malloc((size_t)size), *theirs = malloc((size_t)size);
  MPJ_Count at = 0;
  int position = 0;
  ck_assert_int_eq(MPJ_Pack(base, type, ours, size, &at), MPJ_SUCCESS);
  ck_assert_int_eq(PMPI_Pack(base, 1, mpi, theirs, (int)size, &position, MPI_COMM_SELF),
                   MPI_SUCCESS);
  if (position < size && mpi_loses_bytes()) goto done;
  ck_assert_msg(at == size && position == size, "%s: packed %lld and %d bytes of %lld", what,
                (long long)at, position, (long long)size);
  ck_assert_msg(memcmp(ours, theirs, (size_t)size) == 0, "%s: packed bytes differ", what);
done:
  free(ours);
  free(theirs);
  free(memory);
}
