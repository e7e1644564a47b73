/* This file computes lower and upper bounds of composed types. */
#include "types/make/bounds.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/status.h"

struct mpj_bounds mpj_bounds_start(void)
{
  return (struct mpj_bounds){.alignment = 1};
}

static void cover(struct mpj_bounds *b, MPJ_Aint lb, MPJ_Aint ub)
{
  if (!b->marked || lb < b->lb) b->lb = lb;
  if (!b->marked || ub > b->ub) b->ub = ub;
  b->marked = true;
}

int mpj_bounds_add(struct mpj_bounds *b, MPJ_Count copies, MPJ_Aint displ,
                   const struct mpj_type_spec *old)
{
  MPJ_Aint first, last = displ;
  if (copies == 0) return MPJ_SUCCESS;
  if (old->alignment > b->alignment) b->alignment = old->alignment;
  if (!old->marked) return MPJ_SUCCESS;
  if (copies > 1 && !mpj_muladd_aint(displ, copies - 1, mpj_spec_extent(old), &last)) goto overflow;
  first = displ < last ? displ : last;
  last = displ < last ? last : displ;
  if (!mpj_add_aint(first, old->lb, &first) || !mpj_add_aint(last, old->ub, &last)) goto overflow;
  cover(b, first, last);
  return MPJ_SUCCESS;
overflow:
  return mpj_error(MPJ_ERR_OVERFLOW,
                   "bounds overflow: %" PRId64 " copies of extent %td at displacement %td", copies,
                   mpj_spec_extent(old), displ);
}

/* Whether the true bounds and the true extent of the map can be told. */
static int true_bounds(const struct mpj_piece *map, MPJ_Aint *lb, MPJ_Aint *ub)
{
  MPJ_Aint extent;
  if (!mpj_add_aint(map->displ, map->layout->true_lb, lb) ||
      !mpj_add_aint(map->displ, map->layout->true_ub, ub) || !mpj_sub_aint(*ub, *lb, &extent))
    return mpj_error(MPJ_ERR_OVERFLOW,
                     "true bounds overflow: bytes %td to %td from displacement %td",
                     map->layout->true_lb, map->layout->true_ub, map->displ);
  return MPJ_SUCCESS;
}

static int set_bounds(struct mpj_type_spec *spec, MPJ_Aint lb, MPJ_Aint ub, bool marked,
                      int alignment)
{
  MPJ_Aint extent;
  if (!mpj_sub_aint(ub, lb, &extent))
    return mpj_error(MPJ_ERR_OVERFLOW, "extent overflows: lower bound %td, upper bound %td", lb,
                     ub);
  spec->lb = lb;
  spec->ub = ub;
  spec->marked = marked;
  spec->alignment = alignment;
  return MPJ_SUCCESS;
}

int mpj_bounds_set(struct mpj_type_spec *spec, MPJ_Aint lb, MPJ_Aint ub, int alignment)
{
  MPJ_Aint true_lb, true_ub;
  int status = true_bounds(&spec->map, &true_lb, &true_ub);
  return status ? status : set_bounds(spec, lb, ub, true, alignment);
}

int mpj_bounds_finish(const struct mpj_bounds *b, struct mpj_type_spec *spec)
{
  MPJ_Aint lb = 0, ub = 0;
  int status = true_bounds(&spec->map, &lb, &ub);
  if (status) return status;
  if (b->marked) return set_bounds(spec, b->lb, b->ub, true, b->alignment);
  MPJ_Aint excess = (ub - lb) & (b->alignment - 1); /* a power of two */
  if (excess > 0 && !mpj_add_aint(ub, b->alignment - excess, &ub))
    return mpj_error(MPJ_ERR_OVERFLOW, "extent overflows: data ends at %td, alignment is %d", ub,
                     b->alignment);
  return set_bounds(spec, lb, ub, false, b->alignment);
}
