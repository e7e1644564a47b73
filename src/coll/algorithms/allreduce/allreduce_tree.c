/* This file lays down allreduces along trees: up to rank 0, combining, and down again,
 * segment by segment.
 *
 * Cost: that of a reduce and a broadcast along the tree. All get the bits that rank 0
 * has computed. By two levels only the nodes' first ranks talk to other nodes; wins
 * where links between nodes are much slower than memory. By lines each rank's children are the next
 * ones of its lines' chains, so every message goes over one link of a torus: d dimensions of n_i
 * ranks that wrap around, S segments of m / S bytes: 2 (sum of n_i / 2 + S - 1)(alpha + m / S (beta
 * + gamma)). Source: MPICH's reduce-then-broadcast compositions; two levels as in MVAPICH; lines:
 * US 8,589,584. */
#include "coll/algorithms/shapes/tree_reduce.h"
#include "coll/select/algorithms.h"
#include "coll/torus/lines.h"

/* What the segments have in common. */
struct both_ways {
  struct mpj_flow *flow;
  const struct mpj_tree *tree;
  struct mpj_operand input, result;
  int segments;
  unsigned up, down; /* phases */
};

static bool is_top(const struct both_ways *w)
{
  return w->tree->parent < 0;
}

/* The top combines straight into its result. */
static bool is_straight(const struct both_ways *w)
{
  return is_top(w) && w->tree->nchildren > 0 && !(w->flow->variant & MPJ_VARIANT_IN_PLACE);
}

static void lay_up(const struct both_ways *w, int s)
{
  const struct mpj_operand into = is_straight(w) ? w->result : mpj_operand_none();
  const struct mpj_operand sum =
      mpj_tree_reduce(w->flow, w->tree, w->up, w->input, into, s, w->segments);
  if (is_top(w) && !is_straight(w)) mpj_flow_copy(w->flow, sum, mpj_cut(w->result, s, w->segments));
}

static void lay_down(const struct both_ways *w, int s)
{
  const struct mpj_operand place = mpj_cut(w->result, s, w->segments);
  if (!is_top(w)) mpj_flow_recv(w->flow, w->tree->parent, mpj_name(w->down, 1 + s), place);
  for (int i = w->tree->nchildren - 1; i >= 0; i--)
    mpj_flow_send(w->flow, w->tree->child[i].rank, mpj_name(w->down, 1 + s), place);
}

/* `children`: the most that a rank of the tree has. The way up of all segments comes first: a rank
 * that takes its steps in their order would wait for the first to come back before it sends the
 * second. */
static void lay_along(struct mpj_flow *f, const struct mpj_tree *tree, int children)
{
  const struct mpj_operand input = mpj_dense_input(f), result = mpj_dense_result(f);
  const int segments = mpj_segments_of(f->variant);
  const unsigned up = mpj_flow_phase(f, (int64_t)children * segments);
  const struct both_ways w = {.flow = f,
                              .tree = tree,
                              .input = input,
                              .result = result,
                              .segments = segments,
                              .up = up,
                              .down = mpj_flow_phase(f, segments)};
  for (int s = 0; s < segments; s++)
    lay_up(&w, s);
  for (int s = 0; s < segments; s++)
    lay_down(&w, s);
  mpj_deliver(f, result);
}

static void lay(struct mpj_flow *f, enum mpj_tree_kind kind)
{
  struct mpj_tree tree;
  const int radix = mpj_variant_radix(f->variant);
  mpj_tree_lay(f, kind, radix, 0, &tree);
  lay_along(f, &tree, mpj_tree_most_children(&f->comm->facts, kind, radix));
  mpj_tree_drop(&tree);
}

void mpj_allreduce_knomial(struct mpj_flow *f, int root)
{
  (void)root;
  lay(f, MPJ_TREE_KNOMIAL);
}

void mpj_allreduce_kary(struct mpj_flow *f, int root)
{
  (void)root;
  lay(f, MPJ_TREE_KARY);
}

void mpj_allreduce_two_level(struct mpj_flow *f, int root)
{
  (void)root;
  lay(f, MPJ_TREE_TWO_LEVEL);
}

enum { LINE_CHILDREN = 2 * MPJ_TORUS_DIMS_MAX };

/* The next ranks of this one's chains: child[LINE_CHILDREN]; returns how many. */
static int next_in_chains(const struct mpj_lines *lines, struct mpj_tree_child child[])
{
  int n = 0;
  for (int d = lines->level < 0 ? 0 : lines->level; d < lines->grid.ndims; d++)
    for (int k = 0; k < 2; k++) {
      const struct mpj_line line = mpj_line_of(lines, d);
      const int next = mpj_line_next(&line, k);
      if (next >= 0) child[n++].rank = mpj_line_rank(&line, next);
    }
  return n;
}

static int parent_in_line(const struct mpj_lines *lines)
{
  if (lines->level < 0) return -1;
  const struct mpj_line line = mpj_line_of(lines, lines->level);
  return mpj_line_rank(&line, mpj_line_before(&line));
}

void mpj_allreduce_lines(struct mpj_flow *f, int root)
{
  struct mpj_lines here, above;
  struct mpj_tree_child child[LINE_CHILDREN], beside[LINE_CHILDREN];
  (void)root;
  mpj_lines_find(f->comm, 0, &here);
  struct mpj_tree tree = {.size = f->comm->size, .parent = parent_in_line(&here), .child = child};
  tree.nchildren = next_in_chains(&here, child);
  if (tree.parent >= 0) {
    mpj_lines_from(&here, tree.parent, &above);
    next_in_chains(&above, beside);
    while (beside[tree.index].rank != f->comm->rank)
      tree.index++;
  }
  lay_along(f, &tree, 2 * here.grid.ndims);
}
