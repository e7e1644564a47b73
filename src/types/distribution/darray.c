/* This file makes darrays: what one process of a grid owns of a global array. */
#include <inttypes.h>

#include "base/entry.h"
#include "base/status.h"
#include "types/distribution/distribution_table.h"
#include "types/make/build.h"

static int check_grid(const struct mpj_distribution *dist, MPJ_Count size, MPJ_Count rank)
{
  if (dist->head.count != size)
    return mpj_error(MPJ_ERR_ARG,
                     "size is %" PRId64 ", the grid of psizes has %" PRId64 " processes", size,
                     dist->head.count);
  if (rank < 0 || rank >= size)
    return mpj_error(MPJ_ERR_ARG,
                     "rank is %" PRId64 ", must be 0 to %" PRId64 " (size %" PRId64 ")", rank,
                     size - 1, size);
  return MPJ_SUCCESS;
}

int mpj_create_darray(MPJ_Count size, MPJ_Count rank, int ndims, struct mpj_dimension dims[],
                      int order, const struct mpj_type_spec *old, MPJ_Datatype *newtype)
{
  struct mpj_type_spec spec;
  struct mpj_distribution *dist;
  MPJ_Aint origin;
  int status = mpj_distribution_create(ndims, dims, order, old, &dist);
  if (status) return status;
  status = check_grid(dist, size, rank);
  if (!status) status = dist->head.ops->describe(&dist->head, rank, &origin, &spec);
  mpj_parts_release(&dist->head);
  return status ? status : mpj_type_create(&spec, newtype);
}

int MPJ_Type_create_darray(int size, int rank, int ndims, const MPJ_Count gsizes[],
                           const int distribs[], const MPJ_Count dargs[], const int psizes[],
                           int order, MPJ_Datatype oldtype, MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  struct mpj_dimension dims[MPJ_DIMS_MAX];
  struct mpj_type_spec old;
  int status = mpj_build_begin(0, oldtype, newtype, &old);
  if (!status)
    status = mpj_distribution_dims(ndims, gsizes, distribs, dargs, NULL, psizes, order, dims);
  return status ? status : mpj_create_darray(size, rank, ndims, dims, order, &old, newtype);
}
