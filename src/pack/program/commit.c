/* This file implements MPJ_Type_commit. */
#include "base/entry.h"
#include "base/status.h"
#include "pack/program/compile.h"
#include "pack/program/program.h"
#include "types/basic.h"
#include "types/type.h"

/* Whether the layout's program is there, or waits for no memory, as it has its room:
 * then the first use may make it, in a few instructions. */
static bool needs_no_memory(const struct mpj_layout *l)
{
  while (l->kind == MPJ_LAYOUT_LOOP && l->has_room)
    l = l->u.loop.child;
  return (l->kind == MPJ_LAYOUT_RUN && l->has_room) || mpj_layout_attachment(l, MPJ_ATTACH_PROGRAM);
}

int MPJ_Type_commit(MPJ_Datatype *type)
{
  MPJ_ENTRY;
  if (!type) return mpj_error(MPJ_ERR_ARG, "type is NULL");
  if (mpj_basic_of_handle(*type) >= 0) return MPJ_SUCCESS;
  struct mpj_type *object;
  int status = mpj_type_resolve(*type, "*type", &object);
  if (status) return status;
  if (atomic_load_explicit(&object->committed, memory_order_acquire)) return MPJ_SUCCESS;
  const struct mpj_program *program;
  if (!needs_no_memory(object->map.layout)) status = mpj_program_of(object->map.layout, &program);
  if (status) return status;
  atomic_store_explicit(&object->committed, true, memory_order_release);
  return MPJ_SUCCESS;
}
