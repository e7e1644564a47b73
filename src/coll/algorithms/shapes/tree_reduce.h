/* This header declares the way up a tree of reductions. */
#ifndef MPJ_SRC_COLL_ALGORITHMS_SHAPES_TREE_REDUCE_H
#define MPJ_SRC_COLL_ALGORITHMS_SHAPES_TREE_REDUCE_H

#include "coll/algorithms/shapes/tree.h"
#include "coll/plan/build.h"

/* Lay down this rank's part of segment s in phase `up`, of as many messages as the
 * tree's most children times segments: what its children send is combined with
 * its own input (dense, whole) and sent to the parent. At the top the sum is
 * returned: `into` if that is an operand and there are children, else a temporary or
 * the input itself. */
struct mpj_operand mpj_tree_reduce(struct mpj_flow *flow, const struct mpj_tree *tree, unsigned up,
                                   struct mpj_operand input, struct mpj_operand into, int s,
                                   int segments);

#endif
