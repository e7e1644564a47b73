/* This file lays down the way up a tree of reductions, in the order of its row. */
#include "coll/algorithms/shapes/tree_reduce.h"

struct mpj_operand mpj_tree_reduce(struct mpj_flow *flow, const struct mpj_tree *tree, unsigned up,
                                   struct mpj_operand input, struct mpj_operand into, int s,
                                   int segments)
{
  const struct mpj_operand like = mpj_cut(mpj_input_buffer(flow->variant), s, segments);
  struct mpj_fold fold = mpj_fold_begin(flow, 1 + tree->nchildren);
  mpj_fold_add(&fold, mpj_cut(input, s, segments));
  for (int i = 0; i < tree->nchildren; i++) {
    const bool last = i + 1 == tree->nchildren && into.buffer != MPJ_BUFFER_NONE;
    const struct mpj_operand term =
        last ? mpj_cut(into, s, segments) : mpj_flow_temporary(flow, like);
    mpj_flow_recv(flow, tree->child[i].rank, mpj_name(up, 1 + i * segments + s), term);
    mpj_fold_add(&fold, term);
  }
  const struct mpj_operand sum = mpj_fold_terms(flow, &fold, fold.n > 1, like);
  if (tree->parent >= 0)
    mpj_flow_send(flow, tree->parent, mpj_name(up, 1 + tree->index * segments + s), sum);
  return sum;
}
