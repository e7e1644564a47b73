/* This file makes duplicates: the same type under another handle (dup), and second
 * owners of one handle (share). */
#include "base/entry.h"
#include "base/status.h"
#include "types/introspect/annex.h"
#include "types/make/build.h"

/* On failure the new type is freed. */
static int copy_annex(struct mpj_type *old, MPJ_Datatype made)
{
  int status = mpj_annex_copy(old, made);
  if (status) MPJ_Type_free(&made);
  return status;
}

int MPJ_Type_dup(MPJ_Datatype oldtype, MPJ_Datatype *newtype)
{
  MPJ_ENTRY;
  struct mpj_type *old;
  struct mpj_type_spec borrowed;
  MPJ_Datatype made;
  int status = mpj_build_begin(0, oldtype, newtype, &borrowed);
  if (!status) status = mpj_type_resolve(oldtype, "oldtype", &old);
  if (status) return status;
  struct mpj_type_spec spec = mpj_spec_retain(&borrowed);
  status = mpj_build_wrap(MPJ_COMBINER_DUP, &borrowed, &spec);
  status = mpj_build_end(status, &spec, &made);
  if (!status) status = copy_annex(old, made);
  if (status) return status;
  if (atomic_load_explicit(&old->committed, memory_order_acquire))
    atomic_store_explicit(&made->committed, true, memory_order_release);
  *newtype = made;
  return MPJ_SUCCESS;
}

int MPJ_Type_share(MPJ_Datatype type, MPJ_Datatype *handle)
{
  MPJ_ENTRY;
  struct mpj_type *object;
  int status = mpj_need(handle, "handle");
  if (!status) status = mpj_type_resolve(type, "type", &object);
  if (status) return status;
  if (object->basic < 0) atomic_fetch_add_explicit(&object->shares, 1, memory_order_relaxed);
  *handle = type;
  return MPJ_SUCCESS;
}
