/* This file makes resized types: the old type with other bounds. */
#include "base/checked.h"
#include "base/entry.h"
#include "base/status.h"
#include "types/make/bounds.h"
#include "types/make/build.h"

int MPJ_Type_create_resized(MPJ_Datatype oldtype, MPJ_Aint lb, MPJ_Aint extent,
                            MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  struct mpj_type_spec old, spec;
  MPJ_Aint ub;
  int status = mpj_build_begin(0, oldtype, newtype, &old);
  if (status) return status;
  if (!mpj_add_aint(lb, extent, &ub))
    return mpj_error(MPJ_ERR_OVERFLOW, "upper bound overflows: lb is %td, extent is %td", lb,
                     extent);
  spec = mpj_spec_retain(&old);
  status = mpj_build_wrap(MPJ_COMBINER_RESIZED, &old, &spec);
  if (!status) status = mpj_bounds_set(&spec, lb, ub, old.alignment);
  return mpj_build_end(status, &spec, newtype);
}
