/* This header declares what the public calls of this layer check alike: a typed
 * operand, and the place in a packed buffer. */
#ifndef MPJ_SRC_PACK_OPERAND_H
#define MPJ_SRC_PACK_OPERAND_H

#include <inttypes.h>

#include "base/status.h"
#include "types/type.h"

/* What a call moves: a committed type's data at a base address. */
struct mpj_typed_buffer {
  void *base;
  struct mpj_view view; /* borrowed from the type */
  MPJ_Count bytes;      /* of data */
};

/* The arguments `name` and `type_name`; base may be NULL where no data lies near
 * it (mpj_type_needs_base), never MPJ_IN_PLACE. Errors: MPJ_ERR_TYPE, MPJ_ERR_ARG. */
static inline int mpj_typed_buffer_resolve(struct mpj_typed_buffer *o, const char *name,
                                           const void *base, const char *type_name,
                                           MPJ_Datatype handle)
{
  struct mpj_type *type;
  int status = mpj_type_resolve_committed(handle, type_name, &type);
  if (status) return status;
  o->base = (void *)base;
  o->view = mpj_type_view(type);
  o->bytes = mpj_view_bytes(&o->view);
  if (base == MPJ_IN_PLACE)
    return mpj_error(MPJ_ERR_ARG, "%s is MPJ_IN_PLACE, which has no meaning here", name);
  if (base || !mpj_type_needs_base(type)) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG, "%s is NULL, and %s's data begins at displacement %td", name,
                   type_name, mpj_type_lowest(type));
}

/* A packed buffer of size bytes. Errors: MPJ_ERR_ARG. */
static inline int mpj_packed_check(const void *packed, MPJ_Count size, const char *size_name)
{
  if (size < 0) return mpj_error(MPJ_ERR_ARG, "%s is %" PRId64, size_name, size);
  if (!packed && size > 0)
    return mpj_error(MPJ_ERR_ARG, "packed is NULL, %s is %" PRId64, size_name, size);
  return MPJ_SUCCESS;
}

/* That `bytes` bytes of a type's data fit from *position on.
 * Errors: MPJ_ERR_ARG, MPJ_ERR_TRUNCATE. */
static inline int mpj_position_check(const MPJ_Count *position, MPJ_Count size, MPJ_Count bytes)
{
  if (!position) return mpj_error(MPJ_ERR_ARG, "position is NULL");
  if (*position < 0 || *position > size)
    return mpj_error(MPJ_ERR_ARG, "position is %" PRId64 ", size is %" PRId64, *position, size);
  if (size - *position < bytes)
    return mpj_error(MPJ_ERR_TRUNCATE,
                     "packed has %" PRId64 " bytes from position %" PRId64
                     " on, the type has %" PRId64,
                     size - *position, *position, bytes);
  return MPJ_SUCCESS;
}

#endif
