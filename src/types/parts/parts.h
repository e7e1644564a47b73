/* This header declares part tables: how a datatype's parts are found. Each
 * outermost constructor brings a table of its own kind; part i is found in O(1)
 * by all of them, and regular ones take O(1) memory however many parts. */
#ifndef MPJ_SRC_TYPES_PARTS_PARTS_H
#define MPJ_SRC_TYPES_PARTS_PARTS_H

#include "base/refcount.h"
#include "types/make/spec.h"
#include "types/parts/view.h"

struct mpj_parts_ops {
  const char *name; /* of the kind: "regular", "indexed", ... */
  /* Set *view to part i, 0 <= i < count. The layout stays valid as long as the
   * table does. May return MPJ_ERR_NO_MEM where a part's shape is made on first
   * use. Threads: any. */
  int (*view)(const struct mpj_parts *parts, MPJ_Count i, struct mpj_view *view);
  /* Describe part i as a datatype of its own, to be laid *origin bytes from the
   * base address (the part's map has displacements from there, and parts by the
   * same table of constructors). On MPJ_SUCCESS *spec is owned.
   * Errors: MPJ_ERR_NO_MEM, MPJ_ERR_OVERFLOW (its bounds leave 64 bits). */
  int (*describe)(const struct mpj_parts *parts, MPJ_Count i, MPJ_Aint *origin,
                  struct mpj_type_spec *spec);
  /* What the outermost constructor was told of its blocks [first, first + n),
   * n >= 0: block i is copies[i] of *olds[i] (borrowed), laid at displs[i] bytes.
   * Any output may be NULL. The slot is NULL where parts are not blocks. Blocks 0
   * and 1 of a regular table, and the old type alone of an indexed table's block 0,
   * may be asked for whatever the count.
   * Threads: any. How blocks are kept is the table's own affair. */
  void (*blocks)(const struct mpj_parts *parts, MPJ_Count first, MPJ_Count n, MPJ_Count copies[],
                 MPJ_Aint displs[], const struct mpj_type_spec *olds[]);
  /* Add to f what the table owns, and itself, once, and all that it refers to
   * (footprint.h). */
  void (*measure)(const struct mpj_parts *parts, struct mpj_footprint *f);
  /* Free what the table owns, and itself. What it releases may die later (references.c). */
  void (*destroy)(struct mpj_parts *parts);
  bool even; /* all parts of a table have the same data, one after another in the type's */
};

/* The head of every table; shared by the types that dup or resize one. */
struct mpj_parts {
  const struct mpj_parts_ops *ops;
  mpj_refcount references;
  MPJ_Count count;
  struct mpj_parts *released; /* once there are no references: those released before it */
};

/* References; NULL is let pass. Threads: any. Releasing takes a stack of a few frames,
 * however deep the types in the table nest. */
struct mpj_parts *mpj_parts_retain(struct mpj_parts *parts);
void mpj_parts_release(struct mpj_parts *parts);

#endif
