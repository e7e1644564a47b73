/* This file keeps the attributes of communicators. */
#include "coll/comm/comm_attributes.h"
#include "coll/comm/context.h"

#include "base/attributes.h"
#include "base/entry.h"
#include "base/status.h"
#include "coll/threads/hold.h"

static int call_copy(mpj_attribute_fn *fn, void *handle, int key, void *extra_state, void *value_in,
                     void **value_out, int *flag)
{
  return ((MPJ_Comm_copy_attr_fn)fn)(handle, key, extra_state, value_in, value_out, flag);
}

static int call_delete(mpj_attribute_fn *fn, void *handle, int key, void *value, void *extra_state)
{
  return ((MPJ_Comm_delete_attr_fn)fn)(handle, key, value, extra_state);
}

static const struct mpj_attribute_kind of_comms = {"comm", call_copy, call_delete};

int mpj_comm_copy_attributes(struct mpj_comm *from, struct mpj_comm *to)
{
  return mpj_attributes_copy(&of_comms, from->attributes, mpj_comm_handle(from), &to->attributes);
}

int mpj_comm_clear_attributes(struct mpj_comm *comm)
{
  return mpj_attributes_clear(&of_comms, &comm->attributes, mpj_comm_handle(comm));
}

int MPJ_Comm_create_keyval(MPJ_Comm_copy_attr_fn copy, MPJ_Comm_delete_attr_fn delete, int *keyval,
                           void *extra_state)
{
  MPJ_ENTRY;
  return mpj_attribute_key_create(&of_comms, (mpj_attribute_fn *)copy, (mpj_attribute_fn *)delete,
                                  extra_state, keyval);
}

int MPJ_Comm_free_keyval(int *keyval)
{
  MPJ_ENTRY;
  return mpj_attribute_key_free(&of_comms, keyval);
}

int MPJ_Comm_set_attr(MPJ_Comm handle, int keyval, void *value)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *comm = NULL;
  const int status = mpj_comm_resolve_any(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  return mpj_attribute_set(&of_comms, &comm->attributes, handle, keyval, value);
}

int MPJ_Comm_get_attr(MPJ_Comm handle, int keyval, void **value, int *flag)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *comm = NULL;
  const int status = mpj_comm_resolve_any(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  if (!value) return mpj_error(MPJ_ERR_ARG, "value is NULL");
  if (!flag) return mpj_error(MPJ_ERR_ARG, "flag is NULL");
  return mpj_attribute_get(&of_comms, &comm->attributes, keyval, value, flag);
}

int MPJ_Comm_delete_attr(MPJ_Comm handle, int keyval)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *comm = NULL;
  const int status = mpj_comm_resolve_any(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  return mpj_attribute_delete(&of_comms, &comm->attributes, handle, keyval);
}

int MPJ_Comm_dup_attr(MPJ_Comm oldcomm, int keyval, void *extra_state, void *value_in,
                      void **value_out, int *flag)
{
  MPJ_ENTRY;
  (void)oldcomm;
  (void)keyval;
  (void)extra_state;
  *value_out = value_in;
  *flag = 1;
  return MPJ_SUCCESS;
}
