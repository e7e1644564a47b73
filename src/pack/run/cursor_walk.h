/* This header declares how the cursor's own sources walk from its place. */
#ifndef MPJ_SRC_PACK_RUN_CURSOR_WALK_H
#define MPJ_SRC_PACK_RUN_CURSOR_WALK_H

#include "pack/program/walk.h"
#include "pack/run/cursor.h"

/* Start a walk at the cursor's place, where data must remain and the view is not
 * dense. The cursor does not move with it. */
static inline void mpj_cursor_walk(const struct mpj_cursor *c, struct mpj_walk *w)
{
  mpj_walk_begin(w, c->program, c->count, c->stride, c->origin, c->offset);
}

#endif
