/* This file is the part table of boxes inside arrays. */
#include "types/parts_array.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "types/build.h"
#include "types/footprint.h"

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

int mpj_parts_array(int ndims, const MPJ_Count sizes[], const MPJ_Count subsizes[],
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
