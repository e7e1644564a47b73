/* This file answers questions about a datatype: size, bounds, parts, and
 * whether two are alike. */
#include <inttypes.h>

#include "base/entry.h"
#include "base/status.h"
#include "types/type.h"

int MPJ_Type_size(MPJ_Datatype type, MPJ_Count *bytes)
{
  MPJ_ENTRY;
  struct mpj_type *t;
  int status = mpj_need(bytes, "bytes");
  if (!status) status = mpj_type_resolve(type, "type", &t);
  if (!status) *bytes = t->map.layout->signature.bytes;
  return status;
}

int MPJ_Type_get_extent(MPJ_Datatype type, MPJ_Aint *lb, MPJ_Aint *extent)
{
  MPJ_ENTRY;
  struct mpj_type *t;
  int status = mpj_need(lb, "lb");
  if (!status) status = mpj_need(extent, "extent");
  if (!status) status = mpj_type_resolve(type, "type", &t);
  if (status) return status;
  *lb = t->lb;
  *extent = t->ub - t->lb;
  return MPJ_SUCCESS;
}

int MPJ_Type_get_true_extent(MPJ_Datatype type, MPJ_Aint *true_lb, MPJ_Aint *true_extent)
{
  MPJ_ENTRY;
  struct mpj_type *t;
  int status = mpj_need(true_lb, "true_lb");
  if (!status) status = mpj_need(true_extent, "true_extent");
  if (!status) status = mpj_type_resolve(type, "type", &t);
  if (status) return status;
  *true_lb = t->map.displ + t->map.layout->true_lb;
  *true_extent = t->map.layout->true_ub - t->map.layout->true_lb;
  return MPJ_SUCCESS;
}

int MPJ_Type_parts(MPJ_Datatype type, MPJ_Count *nparts)
{
  MPJ_ENTRY;
  struct mpj_type *t;
  int status = mpj_need(nparts, "nparts");
  if (!status) status = mpj_type_resolve(type, "type", &t);
  if (!status) *nparts = t->parts->count;
  return status;
}

int MPJ_Type_part(MPJ_Datatype type, MPJ_Count i, MPJ_Aint *displ, MPJ_Datatype *part)
{
  MPJ_ENTRY;
  struct mpj_type *t;
  struct mpj_type_spec spec;
  MPJ_Aint origin;
  MPJ_Datatype made;
  int status = mpj_need(displ, "displ");
  if (!status) status = mpj_need(part, "part");
  if (!status) status = mpj_type_resolve(type, "type", &t);
  if (status) return status;
  if (i < 0 || i >= t->parts->count)
    return mpj_error(MPJ_ERR_ARG, "i is %" PRId64 ", type has %" PRId64 " parts", i,
                     t->parts->count);
  status = t->parts->ops->describe(t->parts, i, &origin, &spec);
  if (!status) status = mpj_type_create(&spec, &made);
  if (status) return status;
  atomic_store_explicit(&made->committed, true, memory_order_release);
  *displ = origin;
  *part = made;
  return MPJ_SUCCESS;
}

int MPJ_Type_match(MPJ_Datatype a, MPJ_Datatype b, int *same_signature, int *same_map)
{
  MPJ_ENTRY;
  struct mpj_type *ta, *tb;
  int status = mpj_type_resolve(a, "a", &ta);
  if (!status) status = mpj_type_resolve(b, "b", &tb);
  if (status) return status;
  const struct mpj_layout *la = ta->map.layout, *lb = tb->map.layout;
  if (same_signature) *same_signature = mpj_signature_equal(&la->signature, &lb->signature);
  if (same_map) *same_map = la == lb && ta->map.displ == tb->map.displ;
  return MPJ_SUCCESS;
}
