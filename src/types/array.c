/* This file describes boxes inside arrays, dimension by dimension from the
 * fastest to the slowest, each a row of slices. */
#include <inttypes.h>

#include "base/checked.h"
#include "base/status.h"
#include "types/bounds.h"
#include "types/build.h"
#include "types/form.h"
#include "types/tables.h"

/* What the whole array was told: kept once, every slice refers to it. */
static int keep_box(int ndims, const MPJ_Count sizes[], const MPJ_Count subsizes[],
                    const MPJ_Count starts[], int order, const struct mpj_type_spec *old,
                    struct mpj_form **out)
{
  struct mpj_form *form;
  int status = mpj_form_new(old, ndims, &form);
  if (status) return status;
  form->order = order;
  for (int d = 0; d < ndims; d++) {
    form->box[d] = sizes[d];
    form->box[ndims + d] = subsizes[d];
    form->box[2 * ndims + d] = starts ? starts[d] : 0;
  }
  *out = form;
  return MPJ_SUCCESS;
}

/* One dimension more: spec := subsize slices like inner, `size` of which stand
 * `stride` bytes apart in the array. */
static int add_dimension(MPJ_Count size, MPJ_Count subsize, MPJ_Count start, MPJ_Aint stride,
                         const struct mpj_type_spec *inner, struct mpj_type_spec *spec)
{
  MPJ_Aint whole;
  if (!mpj_mul_aint(size, stride, &whole))
    return mpj_error(MPJ_ERR_OVERFLOW, "extent overflows: %" PRId64 " slices of %td bytes", size,
                     stride);
  int status = mpj_spec_regular(subsize, start * stride, stride, MPJ_BLOCK_IS_OLD, inner, spec);
  if (status) return status;
  status = mpj_bounds_set(spec, 0, whole, subsize > 0 ? inner->alignment : 1);
  if (status) mpj_spec_release(spec);
  return status;
}

int mpj_spec_array(int ndims, const MPJ_Count sizes[], const MPJ_Count subsizes[],
                   const MPJ_Count starts[], int order, const struct mpj_type_spec *old,
                   struct mpj_type_spec *spec)
{
  struct mpj_form *form;
  int status = keep_box(ndims, sizes, subsizes, starts, order, old, &form);
  if (status) return status;
  struct mpj_type_spec inner = mpj_spec_retain(old);
  MPJ_Aint stride = mpj_spec_extent(old);
  for (int k = 0; k < ndims && !status; k++) {
    struct mpj_type_spec outer;
    int d = order == MPJ_ORDER_C ? ndims - 1 - k : k;
    status = add_dimension(sizes[d], subsizes[d], starts ? starts[d] : 0, stride, &inner, &outer);
    if (status) break;
    outer.form = mpj_form_retain(form);
    outer.level = (unsigned)(k + 1) & 0xff;
    mpj_spec_made_by(&outer, MPJ_COMBINER_SUBARRAY, inner.depth);
    mpj_spec_release(&inner);
    inner = outer;
    stride = mpj_spec_extent(&inner);
  }
  mpj_form_release(form);
  if (status)
    mpj_spec_release(&inner);
  else
    *spec = inner;
  return status;
}
