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
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

enum { UP_BIT = 2 };

static int lay(enum mpj_tree_kind kind, const struct mpj_comm *comm, int root, unsigned variant,
               struct mpj_schedule_builder *b)
{
  struct mpj_tree t;
  struct mpj_flow f = mpj_flow_begin(comm, b, variant);
  mpj_tree_lay(comm, b, kind, mpj_variant_radix(variant), root, &t);
  const struct mpj_operand mine = mpj_operand_whole(MPJ_BUFFER_SEND);
  struct mpj_operand up = mpj_operand_none();
  if (t.parent >= 0) {
    up = mpj_schedule_bundle(b);
    mpj_flow_copy(&f, mine, mpj_operand_records(up, t.place, 1));
  } else {
    mpj_flow_copy(&f, mine, mpj_operand_part(MPJ_BUFFER_RECV, root));
  }
  for (int i = 0; i < t.nchildren; i++) {
    const struct mpj_operand came = mpj_schedule_bundle(b);
    mpj_flow_recv(&f, t.child[i].rank, UP_BIT + (unsigned)i, came);
    if (t.parent >= 0) mpj_flow_copy(&f, came, up);
    for (int at = t.child[i].first; t.parent < 0 && at < t.child[i].end; at++)
      mpj_flow_copy(&f, mpj_operand_records(came, at, 1),
                    mpj_operand_part(MPJ_BUFFER_RECV, mpj_tree_rank(&t, at)));
  }
  if (t.parent >= 0) mpj_flow_send(&f, t.parent, UP_BIT + (unsigned)t.index, up);
  mpj_tree_drop(&t);
  return mpj_flow_end(&f);
}

MPJ_TREE_ALGORITHMS(gather, lay)
