/* This file holds the beginning and the end that all constructors share. */
#include "types/make/build.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/status.h"
#include "types/make/form.h"
#include "types/make/form_new.h"
#include "types/parts/tables.h"

int mpj_build_begin(MPJ_Count count, MPJ_Datatype oldtype, MPJ_Datatype *newtype,
                    struct mpj_type_spec *old)
{
  struct mpj_type *type;
  int status = mpj_need(newtype, "newtype");
  if (status) return status;
  if (count < 0) return mpj_error(MPJ_ERR_ARG, "count is %" PRId64 ", must not be negative", count);
  status = mpj_type_resolve(oldtype, "oldtype", &type);
  if (status) return status;
  mpj_type_describe(type, old);
  return mpj_build_check_depth(old, "oldtype");
}

int mpj_build_check_depth(const struct mpj_type_spec *old, const char *argument)
{
  if (old->depth < MPJ_DEPTH_MAX) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_UNSUPPORTED, "%s is %u constructors deep, at most %d are supported",
                   argument, old->depth, MPJ_DEPTH_MAX);
}

int mpj_build_check_shape(int ndims, int order)
{
  if (ndims < 1 || ndims > MPJ_DIMS_MAX)
    return mpj_error(MPJ_ERR_ARG, "ndims is %d, must be 1 to %d", ndims, MPJ_DIMS_MAX);
  if (order != MPJ_ORDER_C && order != MPJ_ORDER_FORTRAN)
    return mpj_error(MPJ_ERR_ARG, "order is %d, must be MPJ_ORDER_C (%d) or MPJ_ORDER_FORTRAN (%d)",
                     order, MPJ_ORDER_C, MPJ_ORDER_FORTRAN);
  return MPJ_SUCCESS;
}

int mpj_build_wrap(enum mpj_combiner combiner, const struct mpj_type_spec *old,
                   struct mpj_type_spec *spec)
{
  struct mpj_form *form;
  int status = mpj_form_new(old, &form);
  if (status) return status;
  mpj_form_release(spec->form);
  spec->form = form;
  mpj_spec_made_by(spec, combiner, old->depth);
  return MPJ_SUCCESS;
}

int mpj_build_end(int status, struct mpj_type_spec *spec, MPJ_Datatype *newtype)
{
  if (!status) return mpj_type_create(spec, newtype);
  mpj_spec_release(spec);
  return status;
}
