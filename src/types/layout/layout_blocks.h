/* This header declares the construction of INDEX layouts from series, for the
 * constructors whose blocks are parts. */
#ifndef MPJ_SRC_TYPES_LAYOUT_LAYOUT_BLOCKS_H
#define MPJ_SRC_TYPES_LAYOUT_LAYOUT_BLOCKS_H

#include "types/layout/layout.h"
#include "types/sequence/series.h"

/* How a layout stands to the blocks that it was made of, and what was found out
 * about them on the way. */
struct mpj_blocks_made {
  MPJ_Count period; /* 1: the blocks are a progression of equal ones; more: they have
                     * this period; 0: not known */

  bool same;                 /* the layout is an INDEX whose block i is block i, */
  MPJ_Count factor;          /* with so many copies for each of the block's, */
  MPJ_Count uniform;         /* length of every block, if the layout is uniform */
  struct mpj_patch *patches; /* [npatches], owned: but for these (a last one may */
  MPJ_Count npatches;        /* stand for the empty blocks at the end); or NULL */
};

/* As mpj_layout_index: block i is lens(i) copies of child, stride bytes apart, at
 * displs(i) bytes. Both series have the same n >= 0, borrowed; `made` may be NULL,
 * or else mpj_free its patches whatever the status. */
int mpj_layout_blocks(const struct mpj_series *lens, const struct mpj_series *displs,
                      MPJ_Aint stride, struct mpj_piece child, struct mpj_piece *out,
                      struct mpj_blocks_made *made);

#endif
