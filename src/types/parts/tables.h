/* This header declares the kinds of part table. Each function sets *out to an
 * owned table on MPJ_SUCCESS; what it is given is borrowed unless said
 * otherwise. Errors: MPJ_ERR_NO_MEM, and those named. */
#ifndef MPJ_SRC_TYPES_PARTS_TABLES_H
#define MPJ_SRC_TYPES_PARTS_TABLES_H

#include "types/layout/layout_blocks.h"
#include "types/parts/parts.h"

/* In place of a block length: the block is the old type itself, not a
 * contiguous type of so many copies. */
#define MPJ_BLOCK_IS_OLD ((MPJ_Count)-1)

/* One part: the whole of spec (whose own parts are not looked at). */
int mpj_parts_single(const struct mpj_type_spec *spec, struct mpj_parts **out);

/* The permanent table of a basic type. */
struct mpj_parts *mpj_parts_of_basic(int basic);

/* count parts; part i is `blocklen` copies of old at first + i * stride bytes.
 *   block  the layout of those copies, at displacement 0
 * Errors: MPJ_ERR_OVERFLOW (the last part's displacement). O(1) memory. */
struct mpj_regular {
  MPJ_Count count;
  MPJ_Aint first, stride;
  MPJ_Count blocklen; /* or MPJ_BLOCK_IS_OLD */
  struct mpj_piece block;
  const struct mpj_type_spec *old; /* borrowed */
};

/* Map and parts, not the bounds, of count blocks, the first at `first` bytes and
 * the others `stride` bytes apart, of blocklen copies of old or MPJ_BLOCK_IS_OLD.
 * On failure spec owns nothing. */
int mpj_spec_regular(MPJ_Count count, MPJ_Aint first, MPJ_Aint stride, MPJ_Count blocklen,
                     const struct mpj_type_spec *old, struct mpj_type_spec *spec);

/* count copies of old, one extent apart. *spec is owned on MPJ_SUCCESS. */
int mpj_spec_contiguous(MPJ_Count count, const struct mpj_type_spec *old,
                        struct mpj_type_spec *spec);

/* lens->n parts; part i is lens(i) copies of old at displs(i) bytes.
 *   map, made  what mpj_layout_blocks said of the same blocks */
int mpj_parts_indexed(const struct mpj_series *lens, const struct mpj_series *displs,
                      const struct mpj_piece *map, const struct mpj_blocks_made *made,
                      const struct mpj_type_spec *old, struct mpj_parts **out);

/* count parts; part i is items[i]. Moves the items and their array: on failure
 * they have been released. */
struct mpj_struct_item {
  struct mpj_piece block; /* the copies, from the base address; owned unless there is one, old's */
  MPJ_Count blocklen;
  MPJ_Aint displ;
  struct mpj_type_spec old; /* owned */
};
int mpj_parts_struct(MPJ_Count count, struct mpj_struct_item *items, struct mpj_parts **out);
void mpj_struct_item_clear(struct mpj_struct_item *item);
void mpj_struct_items_free(MPJ_Count count, struct mpj_struct_item *items);

#endif
