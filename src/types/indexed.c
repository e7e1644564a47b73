/* This file makes indexed types: blocks of one old type, each with a length and
 * a displacement of its own. */
#include "types/indexed.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/bounds.h"
#include "types/build.h"
#include "types/tables.h"

int mpj_check_blocklens(MPJ_Count count, const MPJ_Count blocklens[])
{
  for (MPJ_Count i = 0; i < count; i++) {
    if (blocklens[i] < 0)
      return mpj_error(MPJ_ERR_ARG, "blocklens[%" PRId64 "] is %" PRId64 ", must not be negative",
                       i, blocklens[i]);
  }
  return MPJ_SUCCESS;
}

static int indexed_bounds(MPJ_Count count, const MPJ_Count blocklens[], const MPJ_Aint displs[],
                          const struct mpj_type_spec *old, struct mpj_type_spec *spec)
{
  struct mpj_bounds bounds = mpj_bounds_start();
  int status = MPJ_SUCCESS;
  for (MPJ_Count i = 0; i < count && !status; i++)
    status = mpj_bounds_add(&bounds, blocklens[i], displs[i], old);
  return status ? status : mpj_bounds_finish(&bounds, spec);
}

int mpj_create_hindexed(enum mpj_combiner combiner, MPJ_Count count, const MPJ_Count blocklens[],
                        const MPJ_Aint displs[], const struct mpj_type_spec *old,
                        MPJ_Datatype *newtype)
{
  struct mpj_type_spec spec = {.alignment = 1};
  int status =
      mpj_layout_index(count, blocklens, 0, displs, mpj_spec_extent(old), old->map, &spec.map);
  if (!status) status = mpj_parts_indexed(count, blocklens, displs, old, &spec.parts);
  if (!status) status = indexed_bounds(count, blocklens, displs, old, &spec);
  mpj_spec_made_by(&spec, combiner, old->depth);
  return mpj_build_end(status, &spec, newtype);
}

static int check_arrays(MPJ_Count count, const MPJ_Count blocklens[], const void *displs)
{
  if (count == 0) return MPJ_SUCCESS;
  int status = mpj_build_need(blocklens, "blocklens");
  if (!status) status = mpj_build_need(displs, "displs");
  return status ? status : mpj_check_blocklens(count, blocklens);
}

int MPJ_Type_create_hindexed(MPJ_Count count, const MPJ_Count blocklens[], const MPJ_Aint displs[],
                             MPJ_Datatype oldtype, MPJ_Datatype *newtype)
{
  struct mpj_type_spec old;
  int status = mpj_build_begin(count, oldtype, newtype, &old);
  if (!status) status = check_arrays(count, blocklens, displs);
  return status
             ? status
             : mpj_create_hindexed(MPJ_COMBINER_HINDEXED, count, blocklens, displs, &old, newtype);
}

/* bytes[i] := displs[i] extents. */
static int displs_in_bytes(MPJ_Count count, const MPJ_Count displs[], MPJ_Aint extent,
                           MPJ_Aint bytes[])
{
  for (MPJ_Count i = 0; i < count; i++) {
    if (!mpj_mul_aint(displs[i], extent, &bytes[i]))
      return mpj_error(MPJ_ERR_OVERFLOW,
                       "displs[%" PRId64 "] overflows: %" PRId64 " extents of %td bytes", i,
                       displs[i], extent);
  }
  return MPJ_SUCCESS;
}

int MPJ_Type_indexed(MPJ_Count count, const MPJ_Count blocklens[], const MPJ_Count displs[],
                     MPJ_Datatype oldtype, MPJ_Datatype *newtype)
{
  struct mpj_type_spec old;
  int status = mpj_build_begin(count, oldtype, newtype, &old);
  if (!status) status = check_arrays(count, blocklens, displs);
  if (status) return status;
  MPJ_Aint *bytes = mpj_alloc_array((size_t)count, sizeof *bytes);
  if (!bytes)
    return mpj_error(MPJ_ERR_NO_MEM, "displacements of %" PRId64 " blocks could not be allocated",
                     count);
  status = displs_in_bytes(count, displs, mpj_spec_extent(&old), bytes);
  if (!status)
    status = mpj_create_hindexed(MPJ_COMBINER_INDEXED, count, blocklens, bytes, &old, newtype);
  mpj_free(bytes);
  return status;
}
