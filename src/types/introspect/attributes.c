/* This file keeps the attributes of datatypes. */
#include "base/attributes.h"

#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/basic.h"
#include "types/introspect/annex.h"
#include "types/type.h"

static int call_copy(mpj_attribute_fn *fn, void *handle, int key, void *extra_state, void *value_in,
                     void **value_out, int *flag)
{
  return ((MPJ_Type_copy_attr_fn)fn)(handle, key, extra_state, value_in, value_out, flag);
}

static int call_delete(mpj_attribute_fn *fn, void *handle, int key, void *value, void *extra_state)
{
  return ((MPJ_Type_delete_attr_fn)fn)(handle, key, value, extra_state);
}

static const struct mpj_attribute_kind of_types = {"type", call_copy, call_delete};

int MPJ_Type_create_keyval(MPJ_Type_copy_attr_fn copy, MPJ_Type_delete_attr_fn delete, int *keyval,
                           void *extra_state)
{
  MPJ_ENTRY;
  return mpj_attribute_key_create(&of_types, (mpj_attribute_fn *)copy, (mpj_attribute_fn *)delete,
                                  extra_state, keyval);
}

int MPJ_Type_free_keyval(int *keyval)
{
  MPJ_ENTRY;
  return mpj_attribute_key_free(&of_types, keyval);
}

static int resolve(MPJ_Datatype type, struct mpj_type **t)
{
  int status = mpj_type_resolve(type, "type", t);
  if (status || (*t)->basic < 0) return status;
  return mpj_error(MPJ_ERR_TYPE, "type is %s, a basic type, which has no attributes",
                   mpj_basics[(*t)->basic].name);
}

int MPJ_Type_set_attr(MPJ_Datatype type, int keyval, void *value)
{
  MPJ_ENTRY;
  struct mpj_type *t;
  struct mpj_annex *annex = NULL;
  int status = resolve(type, &t);
  if (!status) status = mpj_annex_need(t, &annex);
  if (status) return status;
  return mpj_attribute_set(&of_types, &annex->attributes, t, keyval, value);
}

int MPJ_Type_get_attr(MPJ_Datatype type, int keyval, void **value, int *flag)
{
  MPJ_ENTRY;
  struct mpj_type *t;
  struct mpj_attribute *none = NULL;
  int status = mpj_need(value, "value");
  if (!status) status = mpj_need(flag, "flag");
  if (!status) status = resolve(type, &t);
  if (status) return status;
  return mpj_attribute_get(&of_types, t->annex ? &t->annex->attributes : &none, keyval, value,
                           flag);
}

int MPJ_Type_delete_attr(MPJ_Datatype type, int keyval)
{
  MPJ_ENTRY;
  struct mpj_type *t;
  struct mpj_attribute *none = NULL;
  int status = resolve(type, &t);
  if (status) return status;
  return mpj_attribute_delete(&of_types, t->annex ? &t->annex->attributes : &none, t, keyval);
}

int mpj_annex_copy(struct mpj_type *from, struct mpj_type *to)
{
  struct mpj_annex *annex = NULL;
  if (!from->annex || !from->annex->attributes) return MPJ_SUCCESS;
  int status = mpj_annex_need(to, &annex);
  if (status) return status;
  status = mpj_attributes_copy(&of_types, from->annex->attributes, from, &annex->attributes);
  if (status) mpj_annex_clear(to);
  return status;
}

int mpj_annex_clear(struct mpj_type *type)
{
  if (!type->annex) return MPJ_SUCCESS;
  const int status = mpj_attributes_clear(&of_types, &type->annex->attributes, type);
  if (status) return status;
  mpj_free(type->annex->name);
  mpj_free(type->annex);
  type->annex = NULL;
  return MPJ_SUCCESS;
}

void mpj_annex_measure(const struct mpj_type *type, struct mpj_footprint *f)
{
  if (!mpj_footprint_add(f, type->annex)) return;
  mpj_footprint_add(f, type->annex->name);
  f->bytes += mpj_attributes_bytes(type->annex->attributes);
}

int MPJ_Type_dup_attr(MPJ_Datatype oldtype, int keyval, void *extra_state, void *value_in,
                      void **value_out, int *flag)
{
  MPJ_ENTRY;
  (void)oldtype;
  (void)keyval;
  (void)extra_state;
  *value_out = value_in;
  *flag = 1;
  return MPJ_SUCCESS;
}
