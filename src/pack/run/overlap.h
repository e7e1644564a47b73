/* This header declares the search for memory that a layout describes more than once: what
 * is received there depends on the order of the copies.
 *
 * Where the structure tells that parts lie apart (nests of loops, blocks and pieces whose bounds
 * are disjoint) it is not listed: O(n log n) in the blocks of an index or the pieces of a
 * sequence. Elsewhere the dense blocks are listed and sorted, the first MPJ_OVERLAP_BLOCKS of them;
 * of more, or of an index or a sequence of more, the others are not looked at. */
#ifndef MPJ_SRC_PACK_RUN_OVERLAP_H
#define MPJ_SRC_PACK_RUN_OVERLAP_H

#include <stdbool.h>

#include "types/layout/layout.h"

enum { MPJ_OVERLAP_BLOCKS = 1 << 20 };

/* If `found`: the dense blocks that begin at first and at second, first <= second, bytes from the
 * layout's origin, have bytes in common. */
struct mpj_overlap {
  bool found;
  MPJ_Aint first, second;
};

/* Set *overlap to what the layout is. It is kept with the layout, so that only the first call of
 * each layout searches. Recursion: one level a layout node. Errors: MPJ_ERR_NO_MEM.
 * Threads: any. */
int mpj_layout_overlap(struct mpj_layout *layout, struct mpj_overlap *overlap);

#endif
