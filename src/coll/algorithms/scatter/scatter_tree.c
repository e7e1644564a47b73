/* This file lays down scatters along trees. What a rank forwards belongs to others, and only its
 * two ends know its size: it travels in bundles, which say what they hold (bundle.c).
 *
 * Cost and source: those of the gathers (gather_tree.c), backwards. */
#include "coll/algorithms/shapes/tree.h"
#include "coll/plan/flow.h"
#include "coll/select/algorithms.h"

static void fill_at_root(struct mpj_flow *f, const struct mpj_tree *t, int i,
                         struct mpj_operand bundle)
{
  for (int at = t->child[i].first; at < t->child[i].end; at++)
    mpj_flow_copy(f, mpj_operand_part(MPJ_BUFFER_SEND, mpj_tree_rank(t, at)),
                  mpj_operand_records(bundle, at, 1));
}

static void lay(enum mpj_tree_kind kind, struct mpj_flow *f, int root)
{
  struct mpj_tree t;
  const unsigned name = mpj_name(mpj_flow_phase(f, 1), 1);
  mpj_tree_lay(f, kind, mpj_variant_radix(f->variant), root, &t);
  const struct mpj_operand mine = mpj_operand_whole(MPJ_BUFFER_RECV);
  struct mpj_operand came = mpj_operand_none();
  if (t.parent >= 0) {
    came = mpj_flow_bundle(f);
    mpj_flow_recv(f, t.parent, name, came);
  }
  for (int i = t.nchildren - 1; i >= 0; i--) {
    const struct mpj_operand down = mpj_flow_bundle(f);
    if (t.parent >= 0)
      mpj_flow_copy(
          f, mpj_operand_records(came, t.child[i].first, t.child[i].end - t.child[i].first), down);
    else
      fill_at_root(f, &t, i, down);
    mpj_flow_send(f, t.child[i].rank, name, down);
  }
  mpj_flow_copy(f,
                t.parent >= 0 ? mpj_operand_records(came, t.place, 1)
                              : mpj_operand_part(MPJ_BUFFER_SEND, root),
                mine);
  mpj_tree_drop(&t);
}

MPJ_TREE_ALGORITHMS(scatter, lay)
