/* This file lays down broadcasts along trees: each rank receives from its parent
 * and forwards to its children, segment by segment, the largest subtree first.
 *
 * n bytes in S segments, over the k-nomial tree of p ranks:
 *   S ceil(log_k p) (k - 1) (alpha + n / S beta)
 * over the k-ary one, (log_k p + S - 1) k (alpha + n / S beta), and over the chain,
 * k = 1, (p - 2 + S)(alpha + n / S beta): for long data the least of the trees.
 * Two levels cross each link between nodes once. Wins for short data where ranks
 * have cores of their own; the segmented ones where many links work at once.
 * Source: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
 * communication operations in MPICH", 2005; MPICH's k-ary and k-nomial trees. */
#include "coll/algorithms/shapes/tree.h"
#include "coll/plan/build.h"
#include "coll/select/algorithms.h"

static void lay_segment(struct mpj_flow *f, const struct mpj_tree *t, struct mpj_operand whole,
                        unsigned name, int s, int segments)
{
  const struct mpj_operand buf = mpj_operand_whole(MPJ_BUFFER_RECV);
  const struct mpj_operand piece = mpj_cut(whole, s, segments);
  if (t->parent >= 0)
    mpj_flow_recv(f, t->parent, name, piece);
  else if (whole.buffer != MPJ_BUFFER_RECV)
    mpj_flow_copy(f, mpj_cut(buf, s, segments), piece);
  for (int i = t->nchildren - 1; i >= 0; i--)
    mpj_flow_send(f, t->child[i].rank, name, piece);
  if (t->parent >= 0 && whole.buffer != MPJ_BUFFER_RECV)
    mpj_flow_copy(f, piece, mpj_cut(buf, s, segments));
}

static void lay(enum mpj_tree_kind kind, struct mpj_flow *f, int root)
{
  struct mpj_tree tree;
  const int segments = mpj_segments_of(f->variant);
  const unsigned pieces = mpj_flow_phase(f, segments);
  const struct mpj_operand whole =
      segments > 1 ? mpj_dense_result(f) : mpj_operand_whole(MPJ_BUFFER_RECV);
  mpj_tree_lay(f, kind, mpj_variant_radix(f->variant), root, &tree);
  for (int s = 0; s < segments; s++)
    lay_segment(f, &tree, whole, mpj_name(pieces, 1 + s), s, segments);
  mpj_tree_drop(&tree);
}

MPJ_TREE_ALGORITHMS(bcast, lay)
