/* This file lays down gathers along trees. What a rank forwards belongs
 * to others, and only its two ends know its size: it travels in bundles, which say
 * what they hold (bundle.c).
 *
 * Cost: ceil(log_k p)(k - 1) alpha + (p - 1) n beta at the root, and n is moved up to
 * log_k p times, packed each time. Wins for short data and many ranks with cores of
 * their own: the root sends or takes log p messages in place of p.
 * Source: the k-nomial trees of MPICH; parts of different sizes by tags. */
#include "coll/algorithms/shapes/tree.h"
#include "coll/plan/flow.h"
#include "coll/select/algorithms.h"

static void lay(enum mpj_tree_kind kind, struct mpj_flow *f, int root)
{
  struct mpj_tree t;
  const int radix = mpj_variant_radix(f->variant);
  const unsigned up_tree = mpj_flow_phase(f, mpj_tree_most_children(&f->comm->facts, kind, radix));
  mpj_tree_lay(f, kind, radix, root, &t);
  const struct mpj_operand mine = mpj_operand_whole(MPJ_BUFFER_SEND);
  struct mpj_operand up = mpj_operand_none();
  if (t.parent >= 0) {
    up = mpj_flow_bundle(f);
    mpj_flow_copy(f, mine, mpj_operand_records(up, t.place, 1));
  } else {
    mpj_flow_copy(f, mine, mpj_operand_part(MPJ_BUFFER_RECV, root));
  }
  for (int i = 0; i < t.nchildren; i++) {
    const struct mpj_operand came = mpj_flow_bundle(f);
    mpj_flow_recv(f, t.child[i].rank, mpj_name(up_tree, 1 + i), came);
    if (t.parent >= 0) mpj_flow_copy(f, came, up);
    for (int at = t.child[i].first; t.parent < 0 && at < t.child[i].end; at++)
      mpj_flow_copy(f, mpj_operand_records(came, at, 1),
                    mpj_operand_part(MPJ_BUFFER_RECV, mpj_tree_rank(&t, at)));
  }
  if (t.parent >= 0) mpj_flow_send(f, t.parent, mpj_name(up_tree, 1 + t.index), up);
  mpj_tree_drop(&t);
}

MPJ_TREE_ALGORITHMS(gather, lay)
