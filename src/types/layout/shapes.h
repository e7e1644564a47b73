/* This header declares shapes: the different layouts that the pieces of a long
 * sequence are, shared by the sequence and its windows. */
#ifndef MPJ_SRC_TYPES_LAYOUT_SHAPES_H
#define MPJ_SRC_TYPES_LAYOUT_SHAPES_H

#include "base/refcount.h"
#include "types/layout/layout.h"

struct mpj_shapes {
  mpj_refcount references;
  MPJ_Count n;
  struct mpj_layout *all[]; /* [n], each shared */
};

/* Of these n >= 1 layouts, borrowed. NULL: no memory. */
struct mpj_shapes *mpj_shapes_new(MPJ_Count n, struct mpj_layout *const layouts[]);

/* One more reference; NULL is let pass. They are let go of in intern.h. Threads: any. */
struct mpj_shapes *mpj_shapes_retain(struct mpj_shapes *shapes);

/* The layouts of n >= 1 pieces in order of appearance, each once, and for every
 * piece which of them it is: *out is owned, rows[n] set. NULL: no memory.
 * O(n). */
struct mpj_shapes *mpj_shapes_of_pieces(MPJ_Count n, const struct mpj_piece pieces[],
                                        MPJ_Count rows[]);

#endif
