/* This file makes vectors: equal blocks at equal distances. */
#include <inttypes.h>

#include "base/checked.h"
#include "base/entry.h"
#include "base/status.h"
#include "types/make/bounds.h"
#include "types/make/build.h"
#include "types/parts/tables.h"

/* Only the first and the last block can be at the bounds. */
static int vector_bounds(MPJ_Count count, MPJ_Count blocklen, MPJ_Aint stride,
                         const struct mpj_type_spec *old, struct mpj_type_spec *spec)
{
  struct mpj_bounds bounds = mpj_bounds_start();
  int status = MPJ_SUCCESS;
  if (count > 0) {
    status = mpj_bounds_add(&bounds, blocklen, 0, old);
    if (!status) status = mpj_bounds_add(&bounds, blocklen, (count - 1) * stride, old);
  }
  return status ? status : mpj_bounds_finish(&bounds, spec);
}

static int create_vector(enum mpj_combiner combiner, MPJ_Count count, MPJ_Count blocklen,
                         MPJ_Aint stride, const struct mpj_type_spec *old, MPJ_Datatype *newtype)
{
  struct mpj_type_spec spec;
  int status = mpj_spec_regular(count, 0, stride, blocklen, old, &spec);
  if (status) return status;
  status = vector_bounds(count, blocklen, stride, old, &spec);
  mpj_spec_made_by(&spec, combiner, old->depth);
  return mpj_build_end(status, &spec, newtype);
}

static int check_blocklen(MPJ_Count blocklen)
{
  if (blocklen >= 0) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG, "blocklen is %" PRId64 ", must not be negative", blocklen);
}

int MPJ_Type_create_hvector(MPJ_Count count, MPJ_Count blocklen, MPJ_Aint stride,
                            MPJ_Datatype oldtype, MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  struct mpj_type_spec old;
  int status = mpj_build_begin(count, oldtype, newtype, &old);
  if (!status) status = check_blocklen(blocklen);
  return status ? status
                : create_vector(MPJ_COMBINER_HVECTOR, count, blocklen, stride, &old, newtype);
}

int MPJ_Type_vector(MPJ_Count count, MPJ_Count blocklen, MPJ_Count stride, MPJ_Datatype oldtype,
                    MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  struct mpj_type_spec old;
  MPJ_Aint bytes;
  int status = mpj_build_begin(count, oldtype, newtype, &old);
  if (!status) status = check_blocklen(blocklen);
  if (status) return status;
  if (!mpj_mul_aint(stride, mpj_spec_extent(&old), &bytes))
    return mpj_error(MPJ_ERR_OVERFLOW, "stride overflows: %" PRId64 " extents of %td bytes", stride,
                     mpj_spec_extent(&old));
  return create_vector(MPJ_COMBINER_VECTOR, count, blocklen, bytes, &old, newtype);
}
