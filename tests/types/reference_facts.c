/* This file tells what a type's elements add up to: sizes, bounds, overlaps, signature and packed
 * stream. */
#include <stdlib.h>
#include <string.h>

#include "types/basic.h"
#include "types/reference.h"

MPJ_Count mpj_ref_elements(const struct mpj_ref *ref)
{
  MPJ_Count n = 0;
  for (MPJ_Count e = 0; e < ref->n; e++)
    if (ref->map[e].basic >= 0) n++;
  return n;
}

static MPJ_Aint size_of(const struct mpj_ref_entry *entry)
{
  return entry->basic >= 0 ? mpj_basics[entry->basic].size : 0;
}

MPJ_Count mpj_ref_bytes(const struct mpj_ref *ref)
{
  MPJ_Count bytes = 0;
  for (MPJ_Count e = 0; e < ref->n; e++)
    bytes += size_of(&ref->map[e]);
  return bytes;
}

/* Least displacement of the entries of one marker, or of all data (marker 0). */
static bool least(const struct mpj_ref *ref, int marker, MPJ_Aint *out)
{
  bool any = false;
  for (MPJ_Count e = 0; e < ref->n; e++) {
    const struct mpj_ref_entry *x = &ref->map[e];
    if (marker ? x->basic != marker : x->basic < 0) continue;
    if (!any || x->displ < *out) *out = x->displ;
    any = true;
  }
  return any;
}

static bool greatest_end(const struct mpj_ref *ref, int marker, MPJ_Aint *out)
{
  bool any = false;
  for (MPJ_Count e = 0; e < ref->n; e++) {
    const struct mpj_ref_entry *x = &ref->map[e];
    if (marker ? x->basic != marker : x->basic < 0) continue;
    if (!any || x->displ + size_of(x) > *out) *out = x->displ + size_of(x);
    any = true;
  }
  return any;
}

MPJ_Aint mpj_ref_true_lb(const struct mpj_ref *ref)
{
  MPJ_Aint lb = 0;
  least(ref, 0, &lb);
  return lb;
}

MPJ_Aint mpj_ref_true_ub(const struct mpj_ref *ref)
{
  MPJ_Aint ub = 0;
  greatest_end(ref, 0, &ub);
  return ub;
}

MPJ_Aint mpj_ref_lb(const struct mpj_ref *ref)
{
  MPJ_Aint lb = 0;
  return least(ref, MPJ_REF_LB, &lb) ? lb : mpj_ref_true_lb(ref);
}

MPJ_Aint mpj_ref_extent(const struct mpj_ref *ref)
{
  MPJ_Aint ub = 0, alignment = 1;
  if (greatest_end(ref, MPJ_REF_UB, &ub)) return ub - mpj_ref_lb(ref);
  for (MPJ_Count e = 0; e < ref->n; e++) {
    MPJ_Aint a = mpj_basics[ref->map[e].basic].alignment;
    if (a > alignment) alignment = a;
  }
  MPJ_Aint extent = mpj_ref_true_ub(ref) - mpj_ref_lb(ref);
  while (extent % alignment != 0)
    extent++;
  return extent;
}

bool mpj_ref_overlaps(const struct mpj_ref *ref)
{
  MPJ_Aint lb = mpj_ref_true_lb(ref);
  char *used = mpj_ref_allocate((size_t)(mpj_ref_true_ub(ref) - lb));
  bool overlaps = false;
  for (MPJ_Count e = 0; e < ref->n; e++) {
    for (MPJ_Aint b = 0; b < size_of(&ref->map[e]); b++) {
      char *byte = &used[ref->map[e].displ - lb + b];
      overlaps = overlaps || *byte;
      *byte = 1;
    }
  }
  free(used);
  return overlaps;
}

/* The next entry with data from e on. */
static MPJ_Count skip_markers(const struct mpj_ref *ref, MPJ_Count e)
{
  while (e < ref->n && ref->map[e].basic < 0)
    e++;
  return e;
}

static bool same(const struct mpj_ref *a, const struct mpj_ref *b, bool displs)
{
  MPJ_Count ea = skip_markers(a, 0), eb = skip_markers(b, 0);
  for (; ea < a->n && eb < b->n; ea = skip_markers(a, ea + 1), eb = skip_markers(b, eb + 1)) {
    if (mpj_basics[a->map[ea].basic].letter != mpj_basics[b->map[eb].basic].letter) return false;
    if (displs && a->map[ea].displ != b->map[eb].displ) return false;
  }
  return ea == a->n && eb == b->n;
}

bool mpj_ref_same_signature(const struct mpj_ref *a, const struct mpj_ref *b)
{
  return same(a, b, false);
}

bool mpj_ref_same_map(const struct mpj_ref *a, const struct mpj_ref *b)
{
  return same(a, b, true);
}

void mpj_ref_pack(const struct mpj_ref *ref, const void *base, void *packed)
{
  char *out = packed;
  for (MPJ_Count e = 0; e < ref->n; e++) {
    size_t size = (size_t)size_of(&ref->map[e]);
    if (size > 0) memcpy(out, (const char *)base + ref->map[e].displ, size);
    out += size;
  }
}

void mpj_ref_unpack(const struct mpj_ref *ref, const void *packed, void *base)
{
  const char *in = packed;
  for (MPJ_Count e = 0; e < ref->n; e++) {
    size_t size = (size_t)size_of(&ref->map[e]);
    if (size > 0) memcpy((char *)base + ref->map[e].displ, in, size);
    in += size;
  }
}
