/* This header declares how a layout's program is found, and made by who needs it first. */
#ifndef MPJ_SRC_PACK_PROGRAM_COMPILE_H
#define MPJ_SRC_PACK_PROGRAM_COMPILE_H

#include "pack/program/program.h"

/* The layout's program in a slot of its attachments, compiled by the first
 * caller. On success *program is borrowed from the layout.
 * Errors: MPJ_ERR_NO_MEM. Threads: any. */
int mpj_program_compiled(const struct mpj_layout *layout, int slot,
                         const struct mpj_program **program);

static inline int mpj_program_in(const struct mpj_layout *layout, int slot,
                                 const struct mpj_program **program)
{
  struct mpj_attachment *found =
      atomic_load_explicit(&layout->attachments[slot], memory_order_acquire);
  if (!found) return mpj_program_compiled(layout, slot, program);
  *program = (const struct mpj_program *)found;
  return MPJ_SUCCESS;
}

/* Its program, and the typed form. */
static inline int mpj_program_of(const struct mpj_layout *layout,
                                 const struct mpj_program **program)
{
  return mpj_program_in(layout, MPJ_ATTACH_PROGRAM, program);
}

static inline int mpj_program_typed_of(const struct mpj_layout *layout,
                                       const struct mpj_program **program)
{
  return mpj_program_in(layout, MPJ_ATTACH_TYPED_PROGRAM, program);
}

#endif
