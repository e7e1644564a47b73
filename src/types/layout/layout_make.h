/* This header declares how plain layouts are made. */
#ifndef MPJ_SRC_TYPES_LAYOUT_LAYOUT_MAKE_H
#define MPJ_SRC_TYPES_LAYOUT_LAYOUT_MAKE_H

#include "types/layout/layout.h"

/* The constructors: each normalises, and on MPJ_SUCCESS sets *out to an owned
 * piece. Children are borrowed. Displacements are relative to one base.
 * Errors: MPJ_ERR_OVERFLOW (packed size, element count, or true bounds leave
 * 64 bits; detail says which), MPJ_ERR_NO_MEM. Counts must be >= 0. */
int mpj_layout_empty(struct mpj_piece *out);
int mpj_layout_run(int basic, MPJ_Count count, struct mpj_piece *out);
/* count copies of child, stride bytes apart. */
int mpj_layout_loop(MPJ_Count count, MPJ_Aint stride, struct mpj_piece child,
                    struct mpj_piece *out);

/* Attach what was made, unless another thread was first; returns what is attached. */
struct mpj_attachment *mpj_layout_attach(struct mpj_layout *layout, int slot,
                                         struct mpj_attachment *made);

/* The memory behind a layout of its kind (MPJ_LAYOUT_ROOM_). */
void *mpj_layout_room(struct mpj_layout *layout);

#endif
