/* This file lays down scatters along trees. What a rank forwards belongs to others, and only its
 * two ends know its size: it travels in bundles, which say what they hold (bundle.c).
 *
 * Cost and source: those of the gathers (gather_tree.c), backwards. */
#include "coll/algorithms/shapes/tree.h"
#include "coll/plan/flow.h"
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

enum { DOWN_BIT = 1 };

static void fill_at_root(struct mpj_flow *f, const struct mpj_tree *t, int i,
                         struct mpj_operand bundle)
{
  for (int at = t->child[i].first; at < t->child[i].end; at++)
    mpj_flow_copy(f, mpj_operand_part(MPJ_BUFFER_SEND, mpj_tree_rank(t, at)),
                  mpj_operand_records(bundle, at, 1));
}

static int lay(enum mpj_tree_kind kind, const struct mpj_comm *comm, int root, unsigned variant,
               struct mpj_schedule_builder *b)
{
  struct mpj_tree t;
  struct mpj_flow f = mpj_flow_begin(comm, b, variant);
  mpj_tree_lay(comm, b, kind, mpj_variant_radix(variant), root, &t);
  const struct mpj_operand mine = mpj_operand_whole(MPJ_BUFFER_RECV);
  struct mpj_operand came = mpj_operand_none();
  if (t.parent >= 0) {
    came = mpj_schedule_bundle(b);
    mpj_flow_recv(&f, t.parent, DOWN_BIT, came);
  }
  for (int i = t.nchildren - 1; i >= 0; i--) {
    const struct mpj_operand down = mpj_schedule_bundle(b);
    if (t.parent >= 0)
      mpj_flow_copy(
          &f, mpj_operand_records(came, t.child[i].first, t.child[i].end - t.child[i].first), down);
    else
      fill_at_root(&f, &t, i, down);
    mpj_flow_send(&f, t.child[i].rank, DOWN_BIT, down);
  }
  mpj_flow_copy(&f,
                t.parent >= 0 ? mpj_operand_records(came, t.place, 1)
                              : mpj_operand_part(MPJ_BUFFER_SEND, root),
                mine);
  mpj_tree_drop(&t);
  return mpj_flow_end(&f);
}

MPJ_TREE_ALGORITHMS(scatter, lay)
