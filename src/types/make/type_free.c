/* This file frees datatypes: the handle, and with it what hangs on it. */
#include "base/entry.h"
#include "base/status.h"
#include "types/introspect/annex.h"
#include "types/make/form.h"
#include "types/type.h"

/* Whether an owner of the handle left and others remain. */
static bool one_owner_less(struct mpj_type *type)
{
  return atomic_load_explicit(&type->shares, memory_order_relaxed) > 0 &&
         atomic_fetch_sub_explicit(&type->shares, 1, memory_order_acq_rel) > 0;
}

int MPJ_Type_free(MPJ_Datatype *type)
{
  MPJ_ENTRY;
  struct mpj_type *object = NULL;
  int status = mpj_need(type, "type");
  if (!status) status = mpj_type_resolve(*type, "type", &object);
  if (status) return status;
  if (object->basic >= 0 || one_owner_less(object)) {
    *type = MPJ_DATATYPE_NULL;
    return MPJ_SUCCESS;
  }
  if (object->annex) status = mpj_annex_clear(object);
  if (status) return status;
  struct mpj_layout *layout = object->map.layout;
  struct mpj_parts *parts = object->parts;
  struct mpj_form *form = object->form;
  mpj_type_give(object);
  mpj_layout_release(layout);
  mpj_parts_release(parts);
  mpj_form_release(form);
  *type = MPJ_DATATYPE_NULL;
  return MPJ_SUCCESS;
}
