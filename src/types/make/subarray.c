/* This file makes subarrays: a box inside a larger array. */
#include <inttypes.h>

#include "base/entry.h"
#include "base/status.h"
#include "types/make/build.h"

static int check_dimension(int d, MPJ_Count least, MPJ_Count size, MPJ_Count subsize,
                           MPJ_Count start)
{
  if (size < least)
    return mpj_error(MPJ_ERR_ARG, "sizes[%d] is %" PRId64 ", must be at least %" PRId64, d, size,
                     least);
  if (subsize < 0 || subsize > size)
    return mpj_error(MPJ_ERR_ARG, "subsizes[%d] is %" PRId64 ", sizes[%d] is %" PRId64, d, subsize,
                     d, size);
  if (start < 0 || start > size - subsize)
    return mpj_error(MPJ_ERR_ARG,
                     "starts[%d] is %" PRId64 ", must be 0 to %" PRId64 " (size %" PRId64
                     ", subsize %" PRId64 ")",
                     d, start, size - subsize, size, subsize);
  return MPJ_SUCCESS;
}

static int check_arguments(int ndims, MPJ_Count least, const MPJ_Count sizes[],
                           const MPJ_Count subsizes[], const MPJ_Count starts[], int order)
{
  int status = mpj_build_check_shape(ndims, order);
  if (!status) status = mpj_need(sizes, "sizes");
  if (!status) status = mpj_need(subsizes, "subsizes");
  if (!status) status = mpj_need(starts, "starts");
  for (int d = 0; d < ndims && !status; d++)
    status = check_dimension(d, least, sizes[d], subsizes[d], starts[d]);
  return status;
}

static int create(int ndims, MPJ_Count least, const MPJ_Count sizes[], const MPJ_Count subsizes[],
                  const MPJ_Count starts[], int order, MPJ_Datatype oldtype, MPJ_Datatype *newtype)
{
  struct mpj_type_spec old, spec;
  int status = mpj_build_begin(0, oldtype, newtype, &old);
  if (!status) status = check_arguments(ndims, least, sizes, subsizes, starts, order);
  if (!status) status = mpj_spec_array(ndims, sizes, subsizes, starts, order, &old, &spec);
  return status ? status : mpj_type_create(&spec, newtype);
}

int MPJ_Type_create_subarray(int ndims, const MPJ_Count sizes[], const MPJ_Count subsizes[],
                             const MPJ_Count starts[], int order, MPJ_Datatype oldtype,
                             MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  return create(ndims, 1, sizes, subsizes, starts, order, oldtype, newtype);
}

int mpj_create_array(int ndims, const MPJ_Count sizes[], const MPJ_Count subsizes[],
                     const MPJ_Count starts[], int order, MPJ_Datatype oldtype,
                     MPJ_Datatype *newtype)
{
  return create(ndims, 0, sizes, subsizes, starts, order, oldtype, newtype);
}
