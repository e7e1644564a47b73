/* This file makes indexed types: blocks of one old type, each with a length and
 * a displacement of its own. */
#include "types/make/indexed.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/make/bounds.h"
#include "types/make/build.h"
#include "types/parts/tables.h"

_Static_assert(sizeof(MPJ_Aint) == sizeof(MPJ_Count), "series hold both");

int mpj_check_blocklens(MPJ_Count count, const MPJ_Count blocklens[])
{
  MPJ_Count all = 0; /* negative if one of them is */
  for (MPJ_Count i = 0; i < count; i++)
    all |= blocklens[i];
  for (MPJ_Count i = 0; i < count && all < 0; i++) {
    if (blocklens[i] < 0)
      return mpj_error(MPJ_ERR_ARG, "blocklens[%" PRId64 "] is %" PRId64 ", must not be negative",
                       i, blocklens[i]);
  }
  return MPJ_SUCCESS;
}

/* Whether all displacements fit 64 bits in bytes. */
static int check_displs(MPJ_Count count, const MPJ_Count displs[], MPJ_Aint unit)
{
  uint64_t far = 0;
  if (unit == 1) return MPJ_SUCCESS;
  for (MPJ_Count i = 0; i < count; i++)
    far |= (uint64_t)(displs[i] ^ (displs[i] >> 63));
  bool near = far >> 31 == 0 && unit < INT32_MAX && unit > INT32_MIN;
  for (MPJ_Count i = 0; i < count && !near; i++) {
    MPJ_Aint bytes;
    if (!mpj_mul_aint(displs[i], unit, &bytes))
      return mpj_error(MPJ_ERR_OVERFLOW,
                       "displs[%" PRId64 "] overflows: %" PRId64 " extents of %td bytes", i,
                       displs[i], unit);
  }
  return MPJ_SUCCESS;
}

/* Of an unmarked old type only the alignment counts, once. */
static int indexed_bounds(const struct mpj_series *lens, const struct mpj_series *displs,
                          const struct mpj_type_spec *old, struct mpj_type_spec *spec)
{
  struct mpj_bounds bounds = mpj_bounds_start();
  int status = MPJ_SUCCESS;
  for (MPJ_Count i = 0; i < lens->n && !status; i++) {
    MPJ_Count len = mpj_series_at(lens, i);
    status = mpj_bounds_add(&bounds, len, mpj_series_at(displs, i), old);
    if (len > 0 && !old->marked) break;
  }
  return status ? status : mpj_bounds_finish(&bounds, spec);
}

int mpj_create_indexed(enum mpj_combiner combiner, const struct mpj_series *lens,
                       const MPJ_Count displs[], MPJ_Aint unit, const struct mpj_type_spec *old,
                       struct mpj_form *form, MPJ_Datatype *newtype)
{
  struct mpj_type_spec spec = {.alignment = 1, .form = form};
  struct mpj_series places = mpj_series_of(lens->n, displs, unit);
  struct mpj_blocks_made made = {.same = false};
  int status = check_displs(lens->n, displs, unit);
  if (!status)
    status = mpj_layout_blocks(lens, &places, mpj_spec_extent(old), old->map, &spec.map, &made);
  if (!status) status = mpj_parts_indexed(lens, &places, &spec.map, &made, old, &spec.parts);
  mpj_free(made.patches);
  if (!status) status = indexed_bounds(lens, &places, old, &spec);
  mpj_spec_made_by(&spec, combiner, old->depth);
  return mpj_build_end(status, &spec, newtype);
}

static int check_arrays(MPJ_Count count, const MPJ_Count blocklens[], const void *displs)
{
  if (count == 0) return MPJ_SUCCESS;
  int status = mpj_need(blocklens, "blocklens");
  if (!status) status = mpj_need(displs, "displs");
  return status ? status : mpj_check_blocklens(count, blocklens);
}

static int create(enum mpj_combiner combiner, MPJ_Count count, const MPJ_Count blocklens[],
                  const MPJ_Count displs[], bool in_bytes, MPJ_Datatype oldtype,
                  MPJ_Datatype *newtype)
{
  struct mpj_type_spec old;
  int status = mpj_build_begin(count, oldtype, newtype, &old);
  if (!status) status = check_arrays(count, blocklens, displs);
  if (status) return status;
  struct mpj_series lens = mpj_series_of(count, blocklens, 1);
  return mpj_create_indexed(combiner, &lens, displs, in_bytes ? 1 : mpj_spec_extent(&old), &old,
                            NULL, newtype);
}

int MPJ_Type_create_hindexed(MPJ_Count count, const MPJ_Count blocklens[], const MPJ_Aint displs[],
                             MPJ_Datatype oldtype, MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  return create(MPJ_COMBINER_HINDEXED, count, blocklens, displs, true, oldtype, newtype);
}

int MPJ_Type_indexed(MPJ_Count count, const MPJ_Count blocklens[], const MPJ_Count displs[],
                     MPJ_Datatype oldtype, MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  return create(MPJ_COMBINER_INDEXED, count, blocklens, displs, false, oldtype, newtype);
}
