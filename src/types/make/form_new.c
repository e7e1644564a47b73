/* This file makes forms. */
#include "types/make/form_new.h"

#include "base/memory.h"
#include "base/status.h"

int mpj_form_new(const struct mpj_type_spec *old, struct mpj_form **out)
{
  struct mpj_form *form = mpj_alloc_array(1, sizeof *form);
  if (!form)
    return mpj_error(MPJ_ERR_NO_MEM, "constructor's arguments of %zu bytes could not be allocated",
                     sizeof *form);
  atomic_init(&form->references, 1);
  form->old = mpj_spec_retain(old);
  *out = form;
  return MPJ_SUCCESS;
}
