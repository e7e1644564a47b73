/* This header declares what the allgathers share: blocks gather in a dense room. */
#ifndef MPJ_SRC_COLL_ALGORITHMS_SHAPES_GATHERING_H
#define MPJ_SRC_COLL_ALGORITHMS_SHAPES_GATHERING_H

#include "coll/algorithms/shapes/ring_blocks.h"

/* Begin: the room (the receive buffer if it is dense, else a temporary), with this
 * rank's own block in it. */
struct mpj_ring_blocks mpj_gathering_begin(struct mpj_flow *flow);

/* End: what has come, from the room to where it belongs, block by block. */
void mpj_gathering_end(struct mpj_flow *flow, struct mpj_ring_blocks room);

#endif
