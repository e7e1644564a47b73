/* This file lays down allreduces along trees: up to rank 0, combining, and down again,
 * segment by segment, so that both ways are under way at once.
 *
 * Cost: that of a reduce and a broadcast along the tree. All get the bits that rank 0
 * has computed. By two levels only the nodes' first ranks talk to other nodes; wins
 * where links between nodes are much slower than memory.
 * Source: MPICH's reduce-then-broadcast compositions; two levels as in MVAPICH. */
#include "coll/algorithms/shapes/tree_reduce.h"
#include "coll/select/algorithms.h"

static void lay_segment(struct mpj_flow *f, const struct mpj_tree *t, struct mpj_operand input,
                        struct mpj_operand result, unsigned down, int s)
{
  const int segments = mpj_segments_of(f->variant);
  const bool top = t->parent < 0;
  const bool straight = top && t->nchildren > 0 && !(f->variant & MPJ_VARIANT_IN_PLACE);
  const struct mpj_operand place = mpj_cut(result, s, segments);
  const struct mpj_operand sum =
      mpj_tree_reduce(f, t, input, straight ? result : mpj_operand_none(), s, segments);
  if (!top)
    mpj_flow_recv(f, t->parent, down, place);
  else if (!straight)
    mpj_flow_copy(f, sum, place);
  for (int i = t->nchildren - 1; i >= 0; i--)
    mpj_flow_send(f, t->child[i].rank, down, place);
}

static int lay(const struct mpj_comm *comm, enum mpj_tree_kind kind, unsigned variant,
               struct mpj_schedule_builder *b)
{
  struct mpj_tree tree;
  struct mpj_flow f = mpj_flow_begin(comm, b, variant);
  const struct mpj_operand input = mpj_dense_input(&f), result = mpj_dense_result(&f);
  mpj_tree_lay(comm, b, kind, mpj_variant_radix(variant), 0, &tree);
  const int children = mpj_tree_most_children(&comm->facts, kind, mpj_variant_radix(variant));
  const int segments = mpj_segments_of(variant); /* from above, behind the way up */
  for (int s = 0; s < segments; s++)
    lay_segment(&f, &tree, input, result, MPJ_TREE_REDUCE_BIT + (unsigned)(children * segments + s), s);
  mpj_tree_drop(&tree);
  mpj_deliver(&f, result);
  return mpj_flow_end(&f);
}

int mpj_allreduce_knomial(const struct mpj_comm *comm, int root, unsigned variant,
                          struct mpj_schedule_builder *b)
{
  (void)root;
  return lay(comm, MPJ_TREE_KNOMIAL, variant, b);
}

int mpj_allreduce_kary(const struct mpj_comm *comm, int root, unsigned variant,
                       struct mpj_schedule_builder *b)
{
  (void)root;
  return lay(comm, MPJ_TREE_KARY, variant, b);
}

int mpj_allreduce_two_level(const struct mpj_comm *comm, int root, unsigned variant,
                            struct mpj_schedule_builder *b)
{
  (void)root;
  return lay(comm, MPJ_TREE_TWO_LEVEL, variant, b);
}
