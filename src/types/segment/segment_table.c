/* This file is the part table of segmented types: the segments' starts, of which
 * equal lengths in a row are one line. */
#include <inttypes.h>

#include "base/memory.h"
#include "base/status.h"
#include "types/layout/footprint.h"
#include "types/segment/segment.h"
#include "types/sequence/sequence.h"

struct segments {
  struct mpj_parts head;
  struct mpj_type_spec old;    /* owned */
  struct mpj_sequence *starts; /* [count + 1], owned, copies */
};

static MPJ_Count start_of(const struct segments *t, MPJ_Count i)
{
  return mpj_sequence_at(t->starts, i);
}

static int view(const struct mpj_parts *parts, MPJ_Count i, struct mpj_view *out)
{
  const struct segments *t = (const struct segments *)parts;
  const struct mpj_piece *map = &t->old.map;
  MPJ_Aint extent = mpj_spec_extent(&t->old);
  MPJ_Count start = start_of(t, i), len = start_of(t, i + 1) - start;
  bool data = len > 0 && map->layout->kind != MPJ_LAYOUT_EMPTY;
  *out = (struct mpj_view){map->layout, len, extent, data ? start * extent + map->displ : 0};
  return MPJ_SUCCESS;
}

static int describe(const struct mpj_parts *parts, MPJ_Count i, MPJ_Aint *origin,
                    struct mpj_type_spec *spec)
{
  const struct segments *t = (const struct segments *)parts;
  MPJ_Count start = start_of(t, i);
  int status = mpj_spec_contiguous(start_of(t, i + 1) - start, &t->old, spec);
  if (!status) *origin = start * mpj_spec_extent(&t->old);
  return status;
}

static void blocks(const struct mpj_parts *parts, MPJ_Count first, MPJ_Count n, MPJ_Count copies[],
                   MPJ_Aint displs[], const struct mpj_type_spec *olds[])
{
  const struct segments *t = (const struct segments *)parts;
  MPJ_Aint extent = mpj_spec_extent(&t->old);
  for (MPJ_Count i = 0; olds && i < n; i++)
    olds[i] = &t->old;
  if (!copies && !displs) return;
  MPJ_Count start = start_of(t, first);
  for (MPJ_Count i = 0; i < n; i++) {
    MPJ_Count next = start_of(t, first + i + 1);
    if (copies) copies[i] = next - start;
    if (displs) displs[i] = start * extent;
    start = next;
  }
}

static void measure(const struct mpj_parts *parts, struct mpj_footprint *f)
{
  const struct segments *t = (const struct segments *)parts;
  if (!mpj_footprint_add(f, t)) return;
  mpj_footprint_spec(f, &t->old);
  mpj_footprint_sequence(f, t->starts);
}

static void destroy(struct mpj_parts *parts)
{
  struct segments *t = (struct segments *)parts;
  mpj_spec_release(&t->old);
  mpj_sequence_release(t->starts);
  mpj_free(t);
}

static const struct mpj_parts_ops segments_ops = {"segment", view,    describe, blocks,
                                                  measure,   destroy, false};

int mpj_parts_segments(MPJ_Count n, const MPJ_Count starts[], const struct mpj_type_spec *old,
                       struct mpj_parts **out)
{
  struct mpj_series series = mpj_series_of(n + 1, starts, 1);
  struct segments *t = mpj_alloc_array(1, sizeof *t);
  if (!t)
    return mpj_error(MPJ_ERR_NO_MEM, "part table of %" PRId64 " segments could not be allocated",
                     n);
  int status = mpj_sequence_make(&series, &t->starts);
  if (status) {
    mpj_free(t);
    return status;
  }
  t->head.ops = &segments_ops;
  t->head.count = n;
  atomic_init(&t->head.references, 1);
  t->old = mpj_spec_retain(old);
  *out = &t->head;
  return MPJ_SUCCESS;
}
