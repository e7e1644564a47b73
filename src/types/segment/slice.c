/* This file makes slices: a stretch of a type map, from one element on. */
#include <inttypes.h>

#include "base/checked.h"
#include "base/entry.h"
#include "base/status.h"
#include "types/make/bounds.h"
#include "types/make/build.h"
#include "types/make/form.h"
#include "types/make/form_new.h"
#include "types/segment/segment.h"

static int check_stretch(const struct mpj_type_spec *old, MPJ_Count first, MPJ_Count count)
{
  const MPJ_Count elements = old->map.layout->signature.elements;
  if (first >= 0 && count >= 0 && first <= elements && count <= elements - first)
    return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG,
                   "first is %" PRId64 " and count is %" PRId64 ", oldtype has %" PRId64
                   " basic elements",
                   first, count, elements);
}

/* What the slice was told, in a form. */
static int note_form(const struct mpj_type_spec *old, MPJ_Count first, MPJ_Count count,
                     struct mpj_type_spec *spec)
{
  int status = mpj_form_new(old, &spec->form);
  if (status) return status;
  spec->form->first = first;
  spec->form->count = count;
  mpj_spec_made_by(spec, MPJ_COMBINER_SLICE, old->depth);
  return MPJ_SUCCESS;
}

static int lay(const struct mpj_type_spec *old, MPJ_Count first, MPJ_Count count,
               struct mpj_type_spec *spec)
{
  int status = mpj_layout_slice(old->map.layout, first, count, &spec->map);
  if (!status && spec->map.layout->kind != MPJ_LAYOUT_EMPTY) spec->map.displ += old->map.displ;
  struct mpj_bounds bounds = mpj_bounds_start();
  if (!status) bounds.alignment = spec->map.layout->alignment;
  return status ? status : mpj_bounds_finish(&bounds, spec);
}

int MPJ_Type_create_slice(MPJ_Datatype oldtype, MPJ_Count first, MPJ_Count count,
                          MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  struct mpj_type_spec old, spec = {.alignment = 1};
  int status = mpj_build_begin(0, oldtype, newtype, &old);
  if (!status) status = check_stretch(&old, first, count);
  if (status) return status;
  status = lay(&old, first, count, &spec);
  if (!status) status = note_form(&old, first, count, &spec);
  if (!status) status = mpj_parts_single(&spec, &spec.parts);
  return mpj_build_end(status, &spec, newtype);
}
