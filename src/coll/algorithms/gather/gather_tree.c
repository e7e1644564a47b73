/* This file lays down gathers and scatters along trees. What a rank forwards belongs
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

enum { DOWN_BIT = 1, UP_BIT = 2 };

/* The records of a stretch of the row. */
static struct mpj_operand records(struct mpj_operand bundle, int first, int end)
{
  return mpj_operand_records(bundle, first, end - first);
}

/* Gather */

static int lay_gather(const struct mpj_comm *comm, enum mpj_tree_kind kind, int root,
                      unsigned variant, struct mpj_schedule_builder *b)
{
  struct mpj_tree t;
  struct mpj_flow f = mpj_flow_begin(comm, b, variant);
  mpj_tree_lay(comm, b, kind, mpj_variant_radix(variant), root, &t);
  const struct mpj_operand mine = mpj_operand_whole(MPJ_BUFFER_SEND);
  struct mpj_operand up = mpj_operand_none();
  if (t.parent >= 0) {
    up = mpj_schedule_bundle(b);
    mpj_flow_copy(&f, mine, records(up, t.place, t.place + 1));
  } else {
    mpj_flow_copy(&f, mine, mpj_operand_part(MPJ_BUFFER_RECV, root));
  }
  for (int i = 0; i < t.nchildren; i++) {
    const struct mpj_operand came = mpj_schedule_bundle(b);
    mpj_flow_recv(&f, t.child[i].rank, UP_BIT + (unsigned)i, came);
    if (t.parent >= 0) mpj_flow_copy(&f, came, up);
    for (int at = t.child[i].first; t.parent < 0 && at < t.child[i].end; at++)
      mpj_flow_copy(&f, records(came, at, at + 1),
                    mpj_operand_part(MPJ_BUFFER_RECV, mpj_tree_rank(&t, at)));
  }
  if (t.parent >= 0) mpj_flow_send(&f, t.parent, UP_BIT + (unsigned)t.index, up);
  mpj_tree_drop(&t);
  return mpj_flow_end(&f);
}

int mpj_gather_knomial(const struct mpj_comm *comm, int root, unsigned variant,
                       struct mpj_schedule_builder *b)
{
  return lay_gather(comm, MPJ_TREE_KNOMIAL, root, variant, b);
}

int mpj_gather_kary(const struct mpj_comm *comm, int root, unsigned variant,
                    struct mpj_schedule_builder *b)
{
  return lay_gather(comm, MPJ_TREE_KARY, root, variant, b);
}

int mpj_gather_two_level(const struct mpj_comm *comm, int root, unsigned variant,
                         struct mpj_schedule_builder *b)
{
  return lay_gather(comm, MPJ_TREE_TWO_LEVEL, root, variant, b);
}

/* Scatter */

static void fill_at_root(struct mpj_flow *f, const struct mpj_tree *t, int i,
                         struct mpj_operand bundle)
{
  for (int at = t->child[i].first; at < t->child[i].end; at++)
    mpj_flow_copy(f, mpj_operand_part(MPJ_BUFFER_SEND, mpj_tree_rank(t, at)),
                  records(bundle, at, at + 1));
}

static int lay_scatter(const struct mpj_comm *comm, enum mpj_tree_kind kind, int root,
                       unsigned variant, struct mpj_schedule_builder *b)
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
      mpj_flow_copy(&f, records(came, t.child[i].first, t.child[i].end), down);
    else
      fill_at_root(&f, &t, i, down);
    mpj_flow_send(&f, t.child[i].rank, DOWN_BIT, down);
  }
  mpj_flow_copy(&f,
                t.parent >= 0 ? records(came, t.place, t.place + 1)
                              : mpj_operand_part(MPJ_BUFFER_SEND, root),
                mine);
  mpj_tree_drop(&t);
  return mpj_flow_end(&f);
}

int mpj_scatter_knomial(const struct mpj_comm *comm, int root, unsigned variant,
                        struct mpj_schedule_builder *b)
{
  return lay_scatter(comm, MPJ_TREE_KNOMIAL, root, variant, b);
}

int mpj_scatter_kary(const struct mpj_comm *comm, int root, unsigned variant,
                     struct mpj_schedule_builder *b)
{
  return lay_scatter(comm, MPJ_TREE_KARY, root, variant, b);
}

int mpj_scatter_two_level(const struct mpj_comm *comm, int root, unsigned variant,
                          struct mpj_schedule_builder *b)
{
  return lay_scatter(comm, MPJ_TREE_TWO_LEVEL, root, variant, b);
}
