/* This header declares views: a part of a datatype, or the whole, by value,
 * as the layers above types see it. A view borrows its layout from the type or
 * the part table that it came from. */
#ifndef MPJ_SRC_TYPES_PARTS_VIEW_H
#define MPJ_SRC_TYPES_PARTS_VIEW_H

#include <stdbool.h>

#include "types/layout/layout.h"

/* count copies of layout, stride bytes apart, the first at displ bytes from
 * the base address. count may be 0. */
struct mpj_view {
  struct mpj_layout *layout;
  MPJ_Count count;
  MPJ_Aint stride;
  MPJ_Aint displ;
};

static inline MPJ_Count mpj_view_bytes(const struct mpj_view *v)
{
  return v->count * v->layout->signature.bytes; /* checked when the type was made */
}

static inline struct mpj_signature mpj_view_signature(const struct mpj_view *v)
{
  return v->count == 1 ? v->layout->signature
                       : mpj_signature_repeat(v->layout->signature, v->count);
}

/* Whether the view is one dense stretch of memory (or empty), and if so where
 * it starts, in bytes from the base address. */
static inline bool mpj_view_dense(const struct mpj_view *v, MPJ_Aint *start)
{
  if (v->count == 0 || v->layout->kind == MPJ_LAYOUT_EMPTY) {
    *start = 0;
    return true;
  }
  if (v->layout->kind != MPJ_LAYOUT_RUN) return false;
  if (v->count > 1 && v->stride != v->layout->signature.bytes) return false;
  *start = v->displ;
  return true;
}

#endif
