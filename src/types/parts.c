/* This file counts the references to part tables. */
#include "types/parts.h"

struct mpj_parts *mpj_parts_retain(struct mpj_parts *parts)
{
  if (parts) mpj_refcount_up(&parts->references);
  return parts;
}

void mpj_parts_release(struct mpj_parts *parts)
{
  if (parts && mpj_refcount_down(&parts->references) == 1) parts->ops->destroy(parts);
}
