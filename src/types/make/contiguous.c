/* This file makes contiguous types: copies of the old type, one extent apart. */
#include "base/entry.h"
#include "types/make/bounds.h"
#include "types/make/build.h"
#include "types/parts/tables.h"

int mpj_spec_contiguous(MPJ_Count count, const struct mpj_type_spec *old,
                        struct mpj_type_spec *spec)
{
  int status = mpj_spec_regular(count, 0, mpj_spec_extent(old), MPJ_BLOCK_IS_OLD, old, spec);
  if (status) return status;
  struct mpj_bounds bounds = mpj_bounds_start();
  status = mpj_bounds_add(&bounds, count, 0, old);
  if (!status) status = mpj_bounds_finish(&bounds, spec);
  mpj_spec_made_by(spec, MPJ_COMBINER_CONTIGUOUS, old->depth);
  if (status) mpj_spec_release(spec);
  return status;
}

int MPJ_Type_contiguous(MPJ_Count count, MPJ_Datatype oldtype, MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  struct mpj_type_spec old, spec;
  int status = mpj_build_begin(count, oldtype, newtype, &old);
  if (!status) status = mpj_spec_contiguous(count, &old, &spec);
  return status ? status : mpj_type_create(&spec, newtype);
}
