/* This file finds a rank's place in the trees of the collectives. */
#include "coll/algorithms/shapes/tree.h"

static int least(int a, int b)
{
  return a < b ? a : b;
}

/* The stretch of a node, with its children. */
struct node {
  int first, end, nchildren;
  struct mpj_tree_child child[MPJ_BITS_MAX]; /* ranks not set */
};

static void add_child(struct node *n, int first, int end)
{
  n->child[n->nchildren++] = (struct mpj_tree_child){.first = first, .end = end};
}

static void knomial_children(struct node *n, int radix)
{
  for (int apart = 1; n->first + apart < n->end; apart *= radix)
    for (int j = 1; j < radix && n->first + j * apart < n->end; j++)
      add_child(n, n->first + j * apart, least(n->first + (j + 1) * apart, n->end));
}

static void kary_children(struct node *n, int radix)
{
  const int rest = n->end - n->first - 1;
  const int children = least(rest, radix);
  for (int j = 0, at = n->first + 1; j < children; j++) {
    const int length = rest / children + (j < rest % children);
    add_child(n, at, at + length);
    at += length;
  }
}

/* Where node i of the row begins; i may be the number of nodes. */
struct rows {
  int count;
  int start[MPJ_BITS_MAX + 1];
};

/* The children of a place in two levels: its own node's, and, of the leader, the
 * leaders of other nodes. */
static void two_level_children(struct node *n, int radix, const struct rows *rows)
{
  int row = 0;
  while (rows->start[row + 1] <= n->first)
    row++;
  struct node inside = {.first = n->first, .end = least(n->end, rows->start[row + 1])};
  knomial_children(&inside, radix);
  for (int i = 0; i < inside.nchildren; i++)
    add_child(n, inside.child[i].first, inside.child[i].end);
  if (n->end <= rows->start[row + 1]) return;
  struct node leaders = {.first = row};
  while (leaders.end < rows->count && rows->start[leaders.end] < n->end)
    leaders.end++;
  knomial_children(&leaders, radix);
  for (int i = 0; i < leaders.nchildren; i++)
    add_child(n, rows->start[leaders.child[i].first], rows->start[leaders.child[i].end]);
}

static void find_children(struct node *n, enum mpj_tree_kind kind, int radix,
                          const struct rows *rows)
{
  n->nchildren = 0;
  if (kind == MPJ_TREE_KNOMIAL)
    knomial_children(n, radix);
  else if (kind == MPJ_TREE_KARY)
    kary_children(n, radix);
  else
    two_level_children(n, radix, rows);
}

/* The row, node after node; within a node in rank order but the root first. */
static void line_up_by_node(const struct mpj_comm *comm, int root, struct mpj_tree *tree,
                            struct rows *rows)
{
  int at = 0;
  rows->count = 0;
  for (int k = 0; k < comm->facts.nodes; k++) {
    const int node = (mpj_facts_node(&comm->facts, root) + k) % comm->facts.nodes;
    rows->start[rows->count] = at;
    if (k == 0) tree->row[at++] = root;
    for (int rank = 0; rank < comm->size; rank++)
      if (mpj_facts_node(&comm->facts, rank) == node && rank != root) tree->row[at++] = rank;
    rows->count += at > rows->start[rows->count];
  }
  rows->start[rows->count] = at;
}

static void line_up(const struct mpj_comm *comm, enum mpj_tree_kind kind, int root,
                    struct mpj_tree *tree, struct rows *rows)
{
  tree->root = root;
  tree->size = comm->size;
  tree->by_node = kind == MPJ_TREE_TWO_LEVEL;
  tree->place = 0;
  if (tree->by_node)
    line_up_by_node(comm, root, tree, rows);
  else
    tree->place = (comm->rank - root + comm->size) % comm->size;
  while (mpj_tree_rank(tree, tree->place) != comm->rank)
    tree->place++;
}

/* Which child's stretch holds the place. */
static int child_with(const struct node *n, int place)
{
  int i = 0;
  while (place >= n->child[i].end)
    i++;
  return i;
}

void mpj_tree_find(const struct mpj_comm *comm, enum mpj_tree_kind kind, int radix, int root,
                   struct mpj_tree *tree)
{
  struct rows rows;
  struct node n = {.first = 0, .end = comm->size};
  line_up(comm, kind, root, tree, &rows);
  tree->parent = tree->index = -1;
  find_children(&n, kind, radix, &rows);
  while (n.first != tree->place) {
    tree->index = child_with(&n, tree->place);
    tree->parent = mpj_tree_rank(tree, n.first);
    n.end = n.child[tree->index].end;
    n.first = n.child[tree->index].first;
    find_children(&n, kind, radix, &rows);
  }
  tree->end = n.end;
  tree->nchildren = n.nchildren;
  for (int i = 0; i < n.nchildren; i++) {
    tree->child[i] = n.child[i];
    tree->child[i].rank = mpj_tree_rank(tree, n.child[i].first);
  }
}

int mpj_tree_end(enum mpj_tree_kind kind, int radix, int size, int place)
{
  struct node n = {.first = 0, .end = size};
  find_children(&n, kind, radix, NULL);
  while (n.first != place) {
    const int i = child_with(&n, place);
    n.end = n.child[i].end;
    n.first = n.child[i].first;
    find_children(&n, kind, radix, NULL);
  }
  return n.end;
}

int mpj_tree_most_children(const struct mpj_facts *facts, enum mpj_tree_kind kind, int radix)
{
  int rounds = 0;
  if (kind == MPJ_TREE_KARY) return least(radix, facts->ranks - 1);
  for (int64_t reach = 1; reach < facts->ranks; reach *= radix)
    rounds++;
  const int levels = kind == MPJ_TREE_TWO_LEVEL ? 2 : 1;
  return least(levels * rounds * (radix - 1), facts->ranks - 1);
}
