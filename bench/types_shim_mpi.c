/* This file is the types benchmark's shim over an MPI library. */
#include <stdlib.h>

#include "types_measure.h"
#include "types_shim.h"

static void must(int status)
{
  if (status != MPI_SUCCESS) MPI_Abort(MPI_COMM_SELF, 1);
}

void types_start(int *argc, char ***argv)
{
  must(MPI_Init(argc, argv));
}

void types_end(void)
{
  must(MPI_Finalize());
}

static types_type committed(types_type type)
{
  must(MPI_Type_commit(&type));
  return type;
}

types_type types_indexed(types_count n, const types_count lens[], const types_count displs[])
{
  types_type type;
  must(MPI_Type_indexed(n, lens, displs, MPI_DOUBLE, &type));
  return committed(type);
}

types_type types_vector(types_count n, types_count blocklen, types_count stride)
{
  types_type type;
  must(MPI_Type_vector(n, blocklen, stride, MPI_DOUBLE, &type));
  return committed(type);
}

types_type types_subarray(const types_count sizes[3], const types_count subsizes[3],
                          const types_count starts[3])
{
  types_type type;
  must(MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &type));
  return committed(type);
}

types_type types_struct(types_count n, const types_count lens[], const intptr_t displs[],
                        types_type types[])
{
  types_type type;
  must(MPI_Type_create_struct(n, lens, displs, types, &type));
  return committed(type);
}

void types_free(types_type *type)
{
  must(MPI_Type_free(type));
}

size_t types_kept(types_type type, size_t before)
{
  (void)type;
  return types_heap() - before;
}
