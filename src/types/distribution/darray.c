/* This file makes darrays: what one process of a grid owns of a global array. */
#include <inttypes.h>

#include "base/status.h"
#include "types/build.h"
#include "types/distribution/table.h"

static int check_grid(const struct mpj_distribution *dist, int size, int rank)
{
  if (dist->head.count != size)
    return mpj_error(MPJ_ERR_ARG, "size is %d, the grid of psizes has %" PRId64 " processes", size,
                     dist->head.count);
  if (rank < 0 || rank >= size)
    return mpj_error(MPJ_ERR_ARG, "rank is %d, must be 0 to %d (size %d)", rank, size - 1, size);
  return MPJ_SUCCESS;
}

int MPJ_Type_create_darray(int size, int rank, int ndims, const MPJ_Count gsizes[],
                           const int distribs[], const MPJ_Count dargs[], const int psizes[],
                           int order, MPJ_Datatype oldtype, MPJ_Datatype *newtype)
{
  struct mpj_dimension dims[MPJ_DIMS_MAX];
  struct mpj_type_spec old, spec;
  struct mpj_distribution *dist;
  MPJ_Aint origin;
  int status = mpj_build_begin(0, oldtype, newtype, &old);
  if (!status)
    status = mpj_distribution_dims(ndims, gsizes, distribs, dargs, NULL, psizes, order, dims);
  if (!status) status = mpj_distribution_create(ndims, dims, order, &old, &dist);
  if (status) return status;
  status = check_grid(dist, size, rank);
  if (!status) status = dist->head.ops->describe(&dist->head, rank, &origin, &spec);
  mpj_parts_release(&dist->head);
  return status ? status : mpj_type_create(&spec, newtype);
}
