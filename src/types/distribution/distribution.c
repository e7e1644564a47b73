/* This file makes distributions: a global array as one part per process of a
 * grid. */
#include "base/status.h"
#include "types/bounds.h"
#include "types/build.h"
#include "types/distribution/table.h"

static int make_dimensions(int ndims, const MPJ_Count gsizes[], const int distribs[],
                           const MPJ_Count dargs[], const int psizes[], int order,
                           struct mpj_dimension dims[])
{
  int status = mpj_build_check_shape(ndims, order);
  if (!status) status = mpj_build_need(gsizes, "gsizes");
  if (!status) status = mpj_build_need(distribs, "distribs");
  if (!status) status = mpj_build_need(dargs, "dargs");
  if (!status) status = mpj_build_need(psizes, "psizes");
  for (int d = 0; d < ndims && !status; d++)
    status = mpj_dimension_init(&dims[d], d, gsizes[d], distribs[d], dargs[d], psizes[d]);
  return status;
}

int MPJ_Type_create_distribution(int ndims, const MPJ_Count gsizes[], const int distribs[],
                                 const MPJ_Count dargs[], const int psizes[], int order,
                                 MPJ_Datatype oldtype, MPJ_Datatype *newtype)
{
  struct mpj_dimension dims[MPJ_DIMS_MAX];
  struct mpj_type_spec old, spec = {.alignment = 1};
  struct mpj_distribution *dist;
  int status = mpj_build_begin(0, oldtype, newtype, &old);
  if (!status) status = make_dimensions(ndims, gsizes, distribs, dargs, psizes, order, dims);
  if (!status) status = mpj_distribution_create(ndims, dims, order, &old, &dist);
  if (status) return status;
  spec.parts = &dist->head;
  status = mpj_distribution_map(dist, &spec.map);
  if (!status) status = mpj_bounds_set(&spec, 0, dist->extent, old.alignment);
  return mpj_build_end(status, &spec, newtype);
}
