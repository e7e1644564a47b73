/* This header declares the part table of segmented types, and the slicing of
 * layouts. */
#ifndef MPJ_SRC_TYPES_SEGMENT_SEGMENT_H
#define MPJ_SRC_TYPES_SEGMENT_SEGMENT_H

#include "types/parts/tables.h"

/* n parts; part i is starts[i + 1] - starts[i] copies of old, from copy number
 * starts[i] of a row of old's on.
 *   starts [n + 1], starts[0] = 0, never falling; borrowed */
int mpj_parts_segments(MPJ_Count n, const MPJ_Count starts[], const struct mpj_type_spec *old,
                       struct mpj_parts **out);

/* The elements [first, first + count) of a layout's type map, which has them, as
 * an owned piece, displacements relative to the layout's origin. Memory: O(depth),
 * nothing that grows with the number of blocks or pieces. Time: O(those in the
 * slice, and pieces before it). Errors: MPJ_ERR_NO_MEM. */
int mpj_layout_slice(struct mpj_layout *layout, MPJ_Count first, MPJ_Count count,
                     struct mpj_piece *out);

/* Blocks [first, first + n) of an INDEX, n >= 1, displacements relative to its
 * origin. first is a multiple of MPJ_LAYOUT_FRAME, unless n is at most that. */
int mpj_layout_index_window(struct mpj_layout *index, MPJ_Count first, MPJ_Count n,
                            struct mpj_piece *out);

/* About how many nodes the slice of elements [first, first + count), which are
 * within the layout, makes anew; sixteen pieces of a sequence count as one. O(depth + pieces). */
MPJ_Count mpj_layout_slice_cost(const struct mpj_layout *layout, MPJ_Count first, MPJ_Count count);

#endif
