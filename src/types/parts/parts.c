/* This file counts the references to part tables. */
#include "types/parts/parts.h"

struct mpj_parts *mpj_parts_retain(struct mpj_parts *parts)
{
  if (parts) mpj_refcount_up(&parts->references);
  return parts;
}
