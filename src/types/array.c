/* This file describes boxes inside arrays, dimension by dimension from the
 * fastest to the slowest, each a row of slices. */
#include <inttypes.h>

#include "base/checked.h"
#include "base/status.h"
#include "types/bounds.h"
#include "types/build.h"
#include "types/parts_array.h"

/* One dimension more: *out := subsize slices like inner, from number `start` on,
 * `stride` bytes apart. */
static int add_dimension(MPJ_Count subsize, MPJ_Count start, MPJ_Aint stride,
                         struct mpj_piece inner, struct mpj_piece *out)
{
  int status = mpj_layout_loop(subsize, stride, inner, out);
  if (status || out->layout->kind == MPJ_LAYOUT_EMPTY) return status;
  if (mpj_muladd_aint(out->displ, start, stride, &out->displ)) return MPJ_SUCCESS;
  mpj_layout_release(out->layout);
  return mpj_error(MPJ_ERR_OVERFLOW, "displacement overflows: slice %" PRId64 " of %td bytes",
                   start, stride);
}

/* The dimensions of a box while they are laid one over the other. */
struct laid {
  struct mpj_piece slice, whole; /* owned: the data of one slice, and of all */
  MPJ_Aint stride, extent;       /* bytes of one slice, and of the whole array */
  bool empty;
};

static int lay_dimension(MPJ_Count size, MPJ_Count subsize, MPJ_Count start, struct laid *l)
{
  struct mpj_piece whole;
  l->stride = l->extent;
  if (!mpj_mul_aint(size, l->stride, &l->extent))
    return mpj_error(MPJ_ERR_OVERFLOW, "extent overflows: %" PRId64 " slices of %td bytes", size,
                     l->stride);
  int status = add_dimension(subsize, start, l->stride, l->whole, &whole);
  if (status) return status;
  mpj_layout_release(l->slice.layout);
  l->slice = l->whole;
  l->whole = whole;
  l->empty = l->empty || subsize == 0;
  return MPJ_SUCCESS;
}

int mpj_spec_array(int ndims, const MPJ_Count sizes[], const MPJ_Count subsizes[],
                   const MPJ_Count starts[], int order, const struct mpj_type_spec *old,
                   struct mpj_type_spec *spec)
{
  struct laid l = {.whole = old->map, .extent = mpj_spec_extent(old)};
  struct mpj_type_spec made = {.alignment = 1};
  int status = MPJ_SUCCESS;
  mpj_layout_retain(l.whole.layout);
  for (int k = 0; k < ndims && !status; k++) {
    int d = order == MPJ_ORDER_C ? ndims - 1 - k : k;
    status = lay_dimension(sizes[d], subsizes[d], starts ? starts[d] : 0, &l);
  }
  made.map = l.whole;
  if (!status) status = mpj_bounds_set(&made, 0, l.extent, l.empty ? 1 : old->alignment);
  if (!status)
    status =
        mpj_parts_array(ndims, sizes, subsizes, starts, order, old, l.slice, l.stride, &made.parts);
  mpj_layout_release(l.slice.layout);
  mpj_spec_made_by(&made, MPJ_COMBINER_SUBARRAY, old->depth + (unsigned)ndims - 1);
  if (status)
    mpj_spec_release(&made);
  else
    *spec = made;
  return status;
}
