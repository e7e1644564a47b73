/* This file is the types benchmark's shim over MPJ. */
#include <stdio.h>
#include <stdlib.h>

#include "types_shim.h"

static void must(int status)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "types: %s\n", MPJ_Error_detail());
  exit(1);
}

void types_start(int *argc, char ***argv)
{
  (void)argc;
  (void)argv;
}

void types_end(void)
{
}

static types_type committed(types_type type)
{
  must(MPJ_Type_commit(&type));
  return type;
}

types_type types_indexed(types_count n, const types_count lens[], const types_count displs[])
{
  types_type type;
  must(MPJ_Type_indexed(n, lens, displs, MPJ_DOUBLE, &type));
  return committed(type);
}

types_type types_vector(types_count n, types_count blocklen, types_count stride)
{
  types_type type;
  must(MPJ_Type_vector(n, blocklen, stride, MPJ_DOUBLE, &type));
  return committed(type);
}

types_type types_subarray(const types_count sizes[3], const types_count subsizes[3],
                          const types_count starts[3])
{
  types_type type;
  must(MPJ_Type_create_subarray(3, sizes, subsizes, starts, MPJ_ORDER_C, MPJ_DOUBLE, &type));
  return committed(type);
}

types_type types_struct(types_count n, const types_count lens[], const intptr_t displs[],
                        types_type types[])
{
  types_type type;
  must(MPJ_Type_create_struct(n, lens, displs, types, &type));
  return committed(type);
}

void types_free(types_type *type)
{
  must(MPJ_Type_free(type));
}

size_t types_kept(types_type type, size_t before)
{
  MPJ_Count bytes;
  (void)before;
  must(MPJ_Type_memory(type, &bytes));
  return (size_t)bytes;
}
