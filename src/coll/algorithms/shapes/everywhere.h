/* This header declares the allreduces in which each rank has what all others give, and combines it
 * in rank order, so that all get the same bits. */
#ifndef MPJ_SRC_COLL_ALGORITHMS_SHAPES_EVERYWHERE_H
#define MPJ_SRC_COLL_ALGORITHMS_SHAPES_EVERYWHERE_H

#include "coll/algorithms/shapes/chain.h"

/* posted: by posts, where they can be made. A phase of its own. */
void mpj_combine_everywhere(struct mpj_flow *flow, bool posted);

#endif
