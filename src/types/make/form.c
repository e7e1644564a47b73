/* This file makes forms and counts the references to them. */
#include "types/make/form.h"

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

struct mpj_form *mpj_form_retain(struct mpj_form *form)
{
  if (form) mpj_refcount_up(&form->references);
  return form;
}

void mpj_form_destroy(struct mpj_form *form)
{
  mpj_spec_release(&form->old);
  mpj_free(form->bucket_lens);
  mpj_free(form->by_length);
  mpj_free(form);
}
