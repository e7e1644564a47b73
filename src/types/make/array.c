/* This file describes boxes inside arrays: their map, dimension by dimension from the
 * fastest to the slowest, each a row of slices; and their part table. */
#include "types/make/array.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/layout/footprint.h"
#include "types/layout/layout_make.h"
#include "types/make/bounds.h"
#include "types/make/build.h"

/* The part table */

static int view(const struct mpj_parts *parts, MPJ_Count i, struct mpj_view *out)
{
  const struct mpj_array *t = (const struct mpj_array *)parts;
  MPJ_Aint displ = 0;
  if (t->slice.layout->kind != MPJ_LAYOUT_EMPTY) displ = t->first + i * t->stride + t->slice.displ;
  *out = (struct mpj_view){t->slice.layout, 1, 0, displ};
  return MPJ_SUCCESS;
}

/* A slice is the same box without its slowest dimension, in the end one element. */
static int describe(const struct mpj_parts *parts, MPJ_Count i, MPJ_Aint *origin,
                    struct mpj_type_spec *spec)
{
  const struct mpj_array *t = (const struct mpj_array *)parts;
  const MPJ_Count *inner = t->box + (t->order == MPJ_ORDER_C ? 1 : 0);
  int status = MPJ_SUCCESS;
  if (t->ndims == 1)
    *spec = mpj_spec_retain(&t->old);
  else
    status = mpj_spec_array(t->ndims - 1, inner, inner + t->ndims, inner + 2 * t->ndims, t->order,
                            &t->old, spec);
  if (!status) *origin = t->first + i * t->stride;
  return status;
}

static void measure(const struct mpj_parts *parts, struct mpj_footprint *f)
{
  const struct mpj_array *t = (const struct mpj_array *)parts;
  if (!mpj_footprint_add(f, t)) return;
  mpj_footprint_layout(f, t->slice.layout);
  mpj_footprint_spec(f, &t->old);
}

static void destroy(struct mpj_parts *parts)
{
  struct mpj_array *t = (struct mpj_array *)parts;
  mpj_layout_release(t->slice.layout);
  mpj_spec_release(&t->old);
  mpj_free(t);
}

static const struct mpj_parts_ops array_ops = {"array", view,    describe, NULL,
                                               measure, destroy, false};

/* A box of ndims dimensions in this order over old, whose slices are `slice`
 * and stand `stride` bytes apart; starts may be NULL: all 0. */
static int make_parts(int ndims, const MPJ_Count sizes[], const MPJ_Count subsizes[],
                      const MPJ_Count starts[], int order, const struct mpj_type_spec *old,
                      struct mpj_piece slice, MPJ_Aint stride, struct mpj_parts **out)
{
  const int slowest = order == MPJ_ORDER_C ? 0 : ndims - 1;
  const size_t row = (size_t)ndims * sizeof(MPJ_Count);
  struct mpj_array *t = mpj_alloc(sizeof *t + 3 * row);
  if (!t)
    return mpj_error(MPJ_ERR_NO_MEM, "part table of %zu bytes could not be allocated",
                     sizeof *t + 3 * row);
  *t = (struct mpj_array){.head = {.ops = &array_ops, .count = subsizes[slowest]},
                          .old = mpj_spec_retain(old),
                          .ndims = ndims,
                          .order = order,
                          .first = starts ? starts[slowest] * stride : 0,
                          .stride = stride,
                          .slice = slice};
  atomic_init(&t->head.references, 1);
  mpj_layout_retain(slice.layout);
  memcpy(t->box, sizes, row);
  memcpy(t->box + ndims, subsizes, row);
  if (starts)
    memcpy(t->box + 2 * ndims, starts, row);
  else
    memset(t->box + 2 * ndims, 0, row);
  *out = &t->head;
  return MPJ_SUCCESS;
}

/* The map */

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
    status = make_parts(ndims, sizes, subsizes, starts, order, old, l.slice, l.stride, &made.parts);
  mpj_layout_release(l.slice.layout);
  mpj_spec_made_by(&made, MPJ_COMBINER_SUBARRAY, old->depth + (unsigned)ndims - 1);
  if (status)
    mpj_spec_release(&made);
  else
    *spec = made;
  return status;
}
