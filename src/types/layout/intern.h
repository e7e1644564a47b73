/* This header declares the intern table, the one place where layout objects
 * enter and leave the world, and the predicates of normalisation. For the
 * layout_*.c files, and for the basic types. */
#ifndef MPJ_SRC_TYPES_LAYOUT_INTERN_H
#define MPJ_SRC_TYPES_LAYOUT_INTERN_H

#include "types/layout/layout.h"

/* A zeroed node of this kind, not interned, or NULL when there is no memory.
 * The caller fills in u, signature, depth and true bounds. */
struct mpj_layout *mpj_layout_new(enum mpj_layout_kind kind);

/* Bytes of a node of this kind, without the room behind it. */
static inline size_t mpj_layout_node_bytes(enum mpj_layout_kind kind)
{
  const struct mpj_layout *l = NULL;
  return offsetof(struct mpj_layout, u) + (kind == MPJ_LAYOUT_INDEX  ? sizeof l->u.index
                                           : kind == MPJ_LAYOUT_LOOP ? sizeof l->u.loop
                                           : kind == MPJ_LAYOUT_SEQ  ? sizeof l->u.seq
                                                                     : sizeof l->u.run);
}

/* Set *out to the layout equal to `node`, at `displ`: node itself, or one that
 * was there before. Moves node, which owns its arrays and a reference to each
 * child. Cannot fail. Threads: any. */
void mpj_layout_intern(struct mpj_layout *node, MPJ_Aint displ, struct mpj_piece *out);

/* Free a node that was not interned, with what it owns. */
void mpj_layout_discard(struct mpj_layout *node);

/* Give back a reference to the shapes of a sequence; NULL is let pass. Threads: any. */
void mpj_shapes_release(struct mpj_shapes *shapes);

/* Equality of nodes whose children are interned: a hash of kind and u, and the
 * comparison of two nodes whose hash field is set. */
uint64_t mpj_layout_hash_node(const struct mpj_layout *node);
bool mpj_layout_equal_nodes(const struct mpj_layout *a, const struct mpj_layout *b);

/* The permanent layouts: of no data, and of one element of a basic type. Their
 * attachments are never destroyed, unless by mpj_layout_forget_permanent. */
struct mpj_layout *mpj_layout_of_nothing(void);
struct mpj_layout *mpj_layout_of_basic(int basic);

/* Whether the layout, laid again `distance` bytes on, is one longer run or loop. */
bool mpj_layout_continues(const struct mpj_layout *layout, MPJ_Aint distance);

#endif
