/* This file describes boxes inside arrays, dimension by dimension from the
 * fastest to the slowest, each a row of slices. */
#include <inttypes.h>

#include "base/checked.h"
#include "base/status.h"
#include "types/bounds.h"
#include "types/build.h"
#include "types/tables.h"

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
  struct mpj_type_spec inner = mpj_spec_retain(old);
  MPJ_Aint stride = mpj_spec_extent(old);
  int status = MPJ_SUCCESS;
  for (int k = 0; k < ndims && !status; k++) {
    struct mpj_type_spec outer;
    int d = order == MPJ_ORDER_C ? ndims - 1 - k : k;
    status = add_dimension(sizes[d], subsizes[d], starts ? starts[d] : 0, stride, &inner, &outer);
    if (status) break;
    mpj_spec_release(&inner);
    inner = outer;
    stride = mpj_spec_extent(&inner);
  }
  if (status)
    mpj_spec_release(&inner);
  else
    *spec = inner;
  return status;
}
