/* This file lays down reductions to a root along trees: each rank combines what its
 * children send with its own data, segment by segment, and sends that on.
 *
 * Cost as of the broadcasts along the same trees (bcast_tree.c), with beta + gamma for
 * beta. An operation that does not commute goes up to rank 0, whose tree is in the order
 * of ranks, and from there to the root: one message more.
 * Source: R. Thakur, R. Rabenseifner, W. Gropp 2005; MPICH's trees. */
#include "coll/algorithms/shapes/tree_reduce.h"
#include "coll/select/algorithms.h"

static unsigned bit_to_root(const struct mpj_comm *comm, enum mpj_tree_kind kind, unsigned variant,
                            int s)
{
  const int children = mpj_tree_most_children(&comm->facts, kind, mpj_variant_radix(variant));
  return MPJ_TREE_REDUCE_BIT + (unsigned)(children * mpj_segments_of(variant) + s);
}

/* The root's, where another rank has the sum. */
static void receive(struct mpj_flow *f, enum mpj_tree_kind kind, struct mpj_operand result, int s)
{
  const int segments = mpj_segments_of(f->variant);
  mpj_flow_recv(f, 0, bit_to_root(f->comm, kind, f->variant, s), mpj_cut(result, s, segments));
}

static void lay_segment(struct mpj_flow *f, const struct mpj_tree *t, enum mpj_tree_kind kind,
                        int root, struct mpj_operand input, struct mpj_operand result, int s)
{
  const int segments = mpj_segments_of(f->variant), me = f->comm->rank;
  const bool top = t->parent < 0;
  const bool straight = top && me == root && !(f->variant & MPJ_VARIANT_IN_PLACE);
  const struct mpj_operand sum =
      mpj_tree_reduce(f, t, input, straight ? result : mpj_operand_none(), s, segments);
  const struct mpj_operand place = mpj_cut(result, s, segments);
  if (top && me != root)
    mpj_flow_send(f, root, bit_to_root(f->comm, kind, f->variant, s), sum);
  else if (top && !(straight && t->nchildren > 0))
    mpj_flow_copy(f, sum, place);
  else if (me == root && !top)
    receive(f, kind, result, s);
}

static int lay(enum mpj_tree_kind kind, const struct mpj_comm *comm, int root, unsigned variant,
               struct mpj_schedule_builder *b)
{
  struct mpj_tree tree;
  struct mpj_flow f = mpj_flow_begin(comm, b, variant);
  struct mpj_operand result = mpj_operand_none();
  const int top = variant & MPJ_VARIANT_ORDERED ? 0 : root;
  const struct mpj_operand input = mpj_dense_input(&f);
  if (comm->rank == root) result = mpj_dense_result(&f);
  mpj_tree_lay(comm, b, kind, mpj_variant_radix(variant), top, &tree);
  for (int s = 0; s < mpj_segments_of(variant); s++)
    lay_segment(&f, &tree, kind, root, input, result, s);
  mpj_tree_drop(&tree);
  if (comm->rank == root) mpj_deliver(&f, result);
  return mpj_flow_end(&f);
}

MPJ_TREE_ALGORITHMS(reduce, lay)
