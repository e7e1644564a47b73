/* This file makes segmented types: consecutive segments of one row of copies,
 * whose lengths say where they begin. */
#include <inttypes.h>

#include "base/checked.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/layout/layout_make.h"
#include "types/make/bounds.h"
#include "types/make/build.h"
#include "types/make/indexed.h"
#include "types/segment/segment.h"

/* starts[i] := sum of the lengths before i; starts[n] of all. */
static int sum_lengths(MPJ_Count n, const MPJ_Count lengths[], MPJ_Count starts[])
{
  MPJ_Count sum = 0;
  for (MPJ_Count i = 0; i < n; i++) {
    starts[i] = sum;
    if (lengths[i] < 0)
      return mpj_error(MPJ_ERR_ARG, "lengths[%" PRId64 "] is %" PRId64 ", must not be negative", i,
                       lengths[i]);
    if (!mpj_add_count(sum, lengths[i], &sum))
      return mpj_error(MPJ_ERR_OVERFLOW, "lengths overflow at lengths[%" PRId64 "], %" PRId64, i,
                       lengths[i]);
  }
  starts[n] = sum;
  return MPJ_SUCCESS;
}

static int describe(MPJ_Count n, const MPJ_Count starts[], const struct mpj_type_spec *old,
                    struct mpj_type_spec *spec)
{
  MPJ_Aint end;
  *spec = (struct mpj_type_spec){.alignment = 1};
  if (!mpj_mul_aint(starts[n], mpj_spec_extent(old), &end))
    return mpj_error(MPJ_ERR_OVERFLOW, "extent overflows: %" PRId64 " copies of extent %td",
                     starts[n], mpj_spec_extent(old));
  int status = mpj_layout_loop(starts[n], mpj_spec_extent(old), old->map, &spec->map);
  struct mpj_bounds bounds = mpj_bounds_start();
  if (!status) status = mpj_bounds_add(&bounds, starts[n], 0, old);
  if (!status) status = mpj_bounds_finish(&bounds, spec);
  if (!status) status = mpj_parts_segments(n, starts, old, &spec->parts);
  if (!status) mpj_spec_made_by(spec, MPJ_COMBINER_SEGMENT, old->depth);
  return status;
}

int MPJ_Type_create_segment(MPJ_Count nsegments, const MPJ_Count lengths[], MPJ_Datatype oldtype,
                            MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  struct mpj_type_spec old, spec;
  MPJ_Count whole;
  int status = mpj_build_begin(nsegments, oldtype, newtype, &old);
  if (!status && nsegments > 0) status = mpj_need(lengths, "lengths");
  if (status) return status;
  MPJ_Count *starts =
      mpj_add_count(nsegments, 1, &whole) ? mpj_alloc_array((size_t)whole, sizeof *starts) : NULL;
  if (!starts)
    return mpj_error(MPJ_ERR_NO_MEM, "%" PRId64 " segments could not be allocated", nsegments);
  status = sum_lengths(nsegments, lengths, starts);
  if (!status) {
    status = describe(nsegments, starts, &old, &spec);
    status = mpj_build_end(status, &spec, newtype);
  }
  mpj_free(starts);
  return status;
}
