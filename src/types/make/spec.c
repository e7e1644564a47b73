/* This file counts the references that a type description holds. */
#include "types/make/spec.h"

#include "types/make/form.h"
#include "types/parts/parts.h"

void mpj_spec_hold(const struct mpj_type_spec *spec)
{
  mpj_layout_retain(spec->map.layout);
  mpj_parts_retain(spec->parts);
  mpj_form_retain(spec->form);
}

struct mpj_type_spec mpj_spec_retain(const struct mpj_type_spec *spec)
{
  mpj_spec_hold(spec);
  return *spec;
}

void mpj_spec_release(struct mpj_type_spec *spec)
{
  mpj_layout_release(spec->map.layout);
  mpj_parts_release(spec->parts);
  mpj_form_release(spec->form);
  spec->map = (struct mpj_piece){NULL, 0};
  spec->parts = NULL;
  spec->form = NULL;
}
