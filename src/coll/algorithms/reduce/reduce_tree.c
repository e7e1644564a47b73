/* This file lays down reductions to a root along trees: each rank combines what its
 * children send with its own data, segment by segment, and sends that on.
 *
 * Cost as of the broadcasts along the same trees (bcast_tree.c), with beta + gamma for
 * beta. An operation that does not commute goes up to rank 0, whose tree is in the order
 * of ranks, and from there to the root: one message more.
 * Source: R. Thakur, R. Rabenseifner, W. Gropp 2005; MPICH's trees. */
#include "coll/algorithms/shapes/tree_reduce.h"
#include "coll/select/algorithms.h"

struct phases {
  unsigned up, to_root; /* to_root: from rank 0, where another is the root */
};

static void lay_segment(struct mpj_flow *f, const struct mpj_tree *t, struct phases phases,
                        int root, struct mpj_operand input, struct mpj_operand result, int s)
{
  const int segments = mpj_segments_of(f->variant), me = f->comm->rank;
  const bool top = t->parent < 0;
  const bool straight = top && me == root && !(f->variant & MPJ_VARIANT_IN_PLACE);
  const struct mpj_operand sum =
      mpj_tree_reduce(f, t, phases.up, input, straight ? result : mpj_operand_none(), s, segments);
  const struct mpj_operand place = mpj_cut(result, s, segments);
  if (top && me != root)
    mpj_flow_send(f, root, mpj_name(phases.to_root, 1 + s), sum);
  else if (top && !(straight && t->nchildren > 0))
    mpj_flow_copy(f, sum, place);
  else if (me == root && !top)
    mpj_flow_recv(f, 0, mpj_name(phases.to_root, 1 + s), place);
}

static void lay(enum mpj_tree_kind kind, struct mpj_flow *f, int root)
{
  struct mpj_tree tree;
  const int radix = mpj_variant_radix(f->variant), segments = mpj_segments_of(f->variant);
  const int children = mpj_tree_most_children(&f->comm->facts, kind, radix);
  struct phases phases = {.up = mpj_flow_phase(f, (int64_t)children * segments)};
  phases.to_root = mpj_flow_phase(f, segments);
  struct mpj_operand result = mpj_operand_none();
  const int top = f->variant & MPJ_VARIANT_ORDERED ? 0 : root;
  const struct mpj_operand input = mpj_dense_input(f);
  if (f->comm->rank == root) result = mpj_dense_result(f);
  mpj_tree_lay(f, kind, radix, top, &tree);
  for (int s = 0; s < segments; s++)
    lay_segment(f, &tree, phases, root, input, result, s);
  mpj_tree_drop(&tree);
  if (f->comm->rank == root) mpj_deliver(f, result);
}

MPJ_TREE_ALGORITHMS(reduce, lay)
