/* This file counts the references to part tables. */
#include "types/parts.h"

struct mpj_parts *mpj_parts_retain(struct mpj_parts *parts)
{
  if (parts) atomic_fetch_add_explicit(&parts->references, 1, memory_order_relaxed);
  return parts;
}

void mpj_parts_release(struct mpj_parts *parts)
{
  if (parts && atomic_fetch_sub_explicit(&parts->references, 1, memory_order_acq_rel) == 1)
    parts->ops->destroy(parts);
}
