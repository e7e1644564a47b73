/* This header declares the merging of an index's blocks: the first step of its
 * normal form. For the layout_index*.c files. */
#ifndef MPJ_SRC_TYPES_LAYOUT_BLOCKS_H
#define MPJ_SRC_TYPES_LAYOUT_BLOCKS_H

#include <stdbool.h>

#include "types/layout/layout.h"
#include "types/sequence/series.h"

/* What a block repeats: `factor` of these make one copy of the child. */
struct mpj_unit {
  struct mpj_layout *layout; /* borrowed */
  MPJ_Aint stride;           /* bytes between units of one block */
  MPJ_Count factor;
};

/* The blocks that remain, lengths in units, displacements in bytes. They are the
 * caller's own arrays (borrowed), patched where few were dropped or merged, and
 * copied where many were. */
struct mpj_blocks {
  MPJ_Count n;
  struct mpj_series lens, displs;
  MPJ_Count *merged_lens; /* owned, or NULL */
  MPJ_Aint *merged_displs;
  struct mpj_patch *patches; /* owned, or NULL; one may stand at n, for the last dropped */
  MPJ_Count npatches;
  MPJ_Count period;   /* set later: 1 of a progression of equal blocks, else as mpj_period says */
  bool has_span;      /* low and high are known: the least and the greatest displacement */
  MPJ_Aint low, high; /* of a unit */
};

/* Drop the empty ones of these blocks of `lens` copies of child, `stride` bytes
 * apart, merge those that continue one another, and choose the unit. On success
 * *out is to be released. Errors: MPJ_ERR_OVERFLOW, MPJ_ERR_NO_MEM. */
int mpj_blocks_merge(const struct mpj_series *lens, const struct mpj_series *displs,
                     struct mpj_layout *child, MPJ_Aint stride, struct mpj_unit *unit,
                     struct mpj_blocks *out);
void mpj_blocks_release(struct mpj_blocks *blocks);

/* Whether all lengths are one; whether the displacements are a progression. */
bool mpj_blocks_equal(const struct mpj_blocks *blocks);
bool mpj_blocks_progress(const struct mpj_blocks *blocks, MPJ_Aint *step);

#endif
