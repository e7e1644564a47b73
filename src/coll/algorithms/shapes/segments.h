/* This header declares the first half of the reductions of long data: the data
 * is cut into p segments, and rank k combines segment k of all. */
#ifndef MPJ_SRC_COLL_ALGORITHMS_SHAPES_SEGMENTS_H
#define MPJ_SRC_COLL_ALGORITHMS_SHAPES_SEGMENTS_H

#include "coll/algorithms/shapes/chain.h"

/* Send each rank its segment, and combine this rank's into `result`, which is dense and like the
 * whole, or, if `is_segment`, a temporary like one segment. A phase of its own. Returns this rank's
 * segment of the result. */
struct mpj_operand mpj_segments_lay(struct mpj_flow *flow, struct mpj_operand result,
                                    bool is_segment);

#endif
