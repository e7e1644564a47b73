/* This file describes the local arrays that go with a distribution: their shape
 * and the dense type of one. */
#include <inttypes.h>

#include "base/entry.h"
#include "base/status.h"
#include "types/distribution/distribution_table.h"
#include "types/make/build.h"

static int find_distribution(MPJ_Datatype handle, MPJ_Count part,
                             const struct mpj_distribution **out)
{
  struct mpj_type *type;
  int status = mpj_type_resolve(handle, "distribution", &type);
  if (status) return status;
  const struct mpj_distribution *dist = mpj_distribution_of(type->parts);
  if (!dist)
    return mpj_error(MPJ_ERR_TYPE, "distribution is a datatype with %s parts, not a distribution",
                     type->parts->ops->name);
  if (part < 0 || part >= dist->head.count)
    return mpj_error(MPJ_ERR_ARG, "part is %" PRId64 ", distribution has %" PRId64 " parts", part,
                     dist->head.count);
  *out = dist;
  return MPJ_SUCCESS;
}

static void local_sizes(const struct mpj_distribution *dist, MPJ_Count part, MPJ_Count sizes[])
{
  mpj_distribution_coords(dist, part, sizes);
  for (int d = 0; d < dist->ndims; d++) {
    const struct mpj_dimension *dim = &dist->dims[d];
    sizes[d] = mpj_share_size(dim, mpj_dimension_share(dim, sizes[d]));
  }
}

int MPJ_Type_distribution_local(MPJ_Datatype distribution, MPJ_Count part, MPJ_Count localsizes[])
{
  MPJ_ENTRY;
  const struct mpj_distribution *dist;
  int status = mpj_need(localsizes, "localsizes");
  if (!status) status = find_distribution(distribution, part, &dist);
  if (!status) local_sizes(dist, part, localsizes);
  return status;
}

int MPJ_Type_create_local(MPJ_Datatype distribution, MPJ_Count part, MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  const struct mpj_distribution *dist;
  MPJ_Count sizes[MPJ_DIMS_MAX];
  struct mpj_type_spec spec;
  int status = mpj_need(newtype, "newtype");
  if (!status) status = find_distribution(distribution, part, &dist);
  if (status) return status;
  local_sizes(dist, part, sizes);
  status = mpj_spec_array(dist->ndims, sizes, sizes, NULL, dist->order, &dist->old, &spec);
  return status ? status : mpj_type_create(&spec, newtype);
}
