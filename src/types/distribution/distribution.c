/* This file makes distributions: a global array as one part per process of a
 * grid. */
#include "base/entry.h"
#include "base/status.h"
#include "types/distribution/distribution_table.h"
#include "types/make/bounds.h"
#include "types/make/build.h"

static int make_dimension(int d, MPJ_Count gsize, int distrib, MPJ_Count darg,
                          const MPJ_Count *const blocks[], int psize, struct mpj_dimension *dim)
{
  if (blocks && distrib == MPJ_DISTRIBUTE_GENERAL)
    return mpj_dimension_init_general(dim, d, gsize, blocks[d], psize);
  return mpj_dimension_init(dim, d, gsize, distrib, darg, psize);
}

int mpj_distribution_dims(int ndims, const MPJ_Count gsizes[], const int distribs[],
                          const MPJ_Count dargs[], const MPJ_Count *const blocks[],
                          const int psizes[], int order, struct mpj_dimension dims[])
{
  int made = 0, status = mpj_build_check_shape(ndims, order);
  if (!status) status = mpj_need(gsizes, "gsizes");
  if (!status) status = mpj_need(distribs, "distribs");
  if (!status) status = mpj_need(dargs, "dargs");
  if (!status) status = mpj_need(psizes, "psizes");
  for (; made < ndims && !status; made += !status)
    status = make_dimension(made, gsizes[made], distribs[made], dargs[made], blocks, psizes[made],
                            &dims[made]);
  while (status && made > 0)
    mpj_dimension_clear(&dims[--made]);
  return status;
}

int mpj_create_distribution(int ndims, struct mpj_dimension dims[], int order,
                            const struct mpj_type_spec *old, MPJ_Datatype *newtype)
{
  struct mpj_type_spec spec = {.alignment = 1};
  struct mpj_distribution *dist;
  int status = mpj_distribution_create(ndims, dims, order, old, &dist);
  if (status) return status;
  spec.parts = &dist->head;
  mpj_spec_made_by(&spec, MPJ_COMBINER_DISTRIBUTION, old->depth);
  status = mpj_distribution_map(dist, &spec.map);
  if (!status) status = mpj_bounds_set(&spec, 0, dist->extent, old->alignment);
  return mpj_build_end(status, &spec, newtype);
}

int MPJ_Type_create_distribution(int ndims, const MPJ_Count gsizes[], const int distribs[],
                                 const MPJ_Count dargs[], const int psizes[], int order,
                                 MPJ_Datatype oldtype, MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  struct mpj_dimension dims[MPJ_DIMS_MAX];
  struct mpj_type_spec old;
  int status = mpj_build_begin(0, oldtype, newtype, &old);
  if (!status)
    status = mpj_distribution_dims(ndims, gsizes, distribs, dargs, NULL, psizes, order, dims);
  return status ? status : mpj_create_distribution(ndims, dims, order, &old, newtype);
}

int MPJ_Type_create_general_distribution(int ndims, const MPJ_Count gsizes[], const int distribs[],
                                         const MPJ_Count dargs[], const MPJ_Count *const blocks[],
                                         const int psizes[], int order, MPJ_Datatype oldtype,
                                         MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  struct mpj_dimension dims[MPJ_DIMS_MAX];
  struct mpj_type_spec old;
  int status = mpj_build_begin(0, oldtype, newtype, &old);
  if (!status) status = mpj_need(blocks, "blocks");
  if (!status)
    status = mpj_distribution_dims(ndims, gsizes, distribs, dargs, blocks, psizes, order, dims);
  return status ? status : mpj_create_distribution(ndims, dims, order, &old, newtype);
}
