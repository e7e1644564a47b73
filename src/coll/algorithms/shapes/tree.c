/* This file finds a rank's place in the trees of the collectives. */
#include "coll/algorithms/shapes/tree.h"

#include "base/memory.h"
#include "base/status.h"
#include "coll/plan/build.h"

static int least(int a, int b)
{
  return a < b ? a : b;
}

/* A node's stretch of the row. */
struct stretch {
  int first, end;
};

/* One level: the child whose stretch holds `place`, and which child that is. */
static struct stretch knomial_child(struct stretch n, int radix, int place, int *index)
{
  const int off = place - n.first;
  int apart = 1;
  *index = 0;
  for (; off / apart >= radix; apart *= radix)
    *index += radix - 1;
  *index += off / apart - 1;
  const int first = n.first + off / apart * apart;
  return (struct stretch){first, n.end - first > apart ? first + apart : n.end};
}

static struct stretch kary_child(struct stretch n, int radix, int place, int *index)
{
  const int rest = n.end - n.first - 1, children = least(rest, radix);
  const int each = rest / children, longer = rest % children, off = place - n.first - 1;
  const int j = off < longer * (each + 1) ? off / (each + 1) : (off - longer) / each;
  const int first = n.first + 1 + j * each + least(j, longer);
  *index = j;
  return (struct stretch){first, first + each + (j < longer)};
}

static struct stretch child_at(enum mpj_tree_kind kind, struct stretch n, int radix, int place,
                               int *index)
{
  return kind == MPJ_TREE_KARY ? kary_child(n, radix, place, index)
                               : knomial_child(n, radix, place, index);
}

static int children_of(enum mpj_tree_kind kind, struct stretch n, int radix)
{
  int index = -1;
  if (n.end - n.first > 1) child_at(kind, n, radix, n.end - 1, &index);
  return index + 1;
}

/* The nodes of the machine in the row: node i begins at start[i]. */
struct rows {
  int count;
  int *start; /* [count + 1] */
};

static int row_of(const struct rows *rows, int place)
{
  int low = 0, beyond = rows->count;
  while (beyond - low > 1) {
    const int at = low + (beyond - low) / 2;
    if (rows->start[at] <= place)
      low = at;
    else
      beyond = at;
  }
  return low;
}

/* Two levels: a leader's children are those on its own node, then leaders of others. */
static struct stretch two_level_child(struct stretch n, int radix, int place,
                                      const struct rows *rows, int *index)
{
  const int row = row_of(rows, n.first);
  const struct stretch inside = {n.first, least(n.end, rows->start[row + 1])};
  if (place < inside.end) return knomial_child(inside, radix, place, index);
  const struct stretch leaders = {row, 1 + row_of(rows, n.end - 1)};
  const struct stretch c = knomial_child(leaders, radix, row_of(rows, place), index);
  *index += children_of(MPJ_TREE_KNOMIAL, inside, radix);
  return (struct stretch){rows->start[c.first], rows->start[c.end]};
}

static struct stretch child_holding(enum mpj_tree_kind kind, struct stretch n, int radix, int place,
                                    const struct rows *rows, int *index)
{
  return kind == MPJ_TREE_TWO_LEVEL ? two_level_child(n, radix, place, rows, index)
                                    : child_at(kind, n, radix, place, index);
}

/* The row, node after node from the root's on; within a node in rank order but the root first. */
static void line_up_by_node(const struct mpj_comm *comm, int root, int *row, struct rows *rows)
{
  const struct mpj_facts *facts = &comm->facts;
  const int nodes = rows->count, first = mpj_facts_node(facts, root);
  int *at = rows->start + 1; /* at[k]: where the next rank of the k'th node goes; then its end */
  for (int rank = 0; rank < comm->size; rank++)
    at[(mpj_facts_node(facts, rank) - first + nodes) % nodes]++;
  for (int k = nodes - 1, end = comm->size; k >= 0; k--) {
    end -= at[k];
    at[k] = end;
  }
  row[at[0]++] = root;
  for (int rank = 0; rank < comm->size; rank++)
    if (rank != root) row[at[(mpj_facts_node(facts, rank) - first + nodes) % nodes]++] = rank;
}

/* The memory that a tree takes, zeros. */
static bool take_memory(const struct mpj_comm *comm, enum mpj_tree_kind kind, int radix,
                        struct mpj_tree *tree, struct rows *rows)
{
  const bool by_node = kind == MPJ_TREE_TWO_LEVEL;
  const size_t most = (size_t)mpj_tree_most_children(&comm->facts, kind, radix);
  const size_t ints = by_node ? (size_t)comm->size + (size_t)comm->facts.nodes + 1 : 0;
  tree->memory = mpj_alloc_array(1, most * sizeof *tree->child + ints * sizeof *tree->row + 1);
  if (!tree->memory) return false;
  tree->child = tree->memory;
  tree->row = (int *)(void *)(tree->child + most);
  rows->count = comm->facts.nodes;
  rows->start = by_node ? tree->row + comm->size : NULL;
  tree->by_node = by_node;
  return true;
}

static void list_children(enum mpj_tree_kind kind, struct stretch n, int radix,
                          const struct rows *rows, struct mpj_tree *tree)
{
  for (int at = n.first + 1, index; at < n.end;) {
    const struct stretch c = child_holding(kind, n, radix, at, rows, &index);
    tree->child[tree->nchildren++] =
        (struct mpj_tree_child){mpj_tree_rank(tree, c.first), c.first, c.end};
    at = c.end;
  }
}

bool mpj_tree_find(const struct mpj_comm *comm, enum mpj_tree_kind kind, int radix, int root,
                   struct mpj_tree *tree)
{
  struct rows rows;
  struct stretch n = {0, comm->size};
  *tree = (struct mpj_tree){.root = root, .size = comm->size, .end = 1, .parent = -1, .index = -1};
  if (!take_memory(comm, kind, radix, tree, &rows)) return false;
  if (tree->by_node)
    line_up_by_node(comm, root, tree->row, &rows);
  else
    tree->place = (comm->rank - root + comm->size) % comm->size;
  while (mpj_tree_rank(tree, tree->place) != comm->rank)
    tree->place++;
  while (n.first != tree->place) {
    tree->parent = mpj_tree_rank(tree, n.first);
    n = child_holding(kind, n, radix, tree->place, &rows, &tree->index);
  }
  tree->end = n.end;
  list_children(kind, n, radix, &rows, tree);
  return true;
}

void mpj_tree_drop(struct mpj_tree *tree)
{
  mpj_free(tree->memory);
  tree->memory = NULL;
}

void mpj_tree_lay(struct mpj_flow *flow, enum mpj_tree_kind kind, int radix, int root,
                  struct mpj_tree *tree)
{
  if (!mpj_tree_find(flow->comm, kind, radix, root, tree))
    mpj_flow_fail(flow, mpj_error(MPJ_ERR_NO_MEM, "no memory to lay down a schedule"));
}

int mpj_tree_end(enum mpj_tree_kind kind, int radix, int size, int place)
{
  struct stretch n = {0, size};
  int index;
  while (n.first != place)
    n = child_at(kind, n, radix, place, &index);
  return n.end;
}

int mpj_tree_most_children(const struct mpj_facts *facts, enum mpj_tree_kind kind, int radix)
{
  if (kind == MPJ_TREE_KARY) return least(radix, facts->ranks - 1);
  const int levels = kind == MPJ_TREE_TWO_LEVEL ? 2 : 1;
  return least(levels * mpj_rounds(facts->ranks, radix) * (radix - 1), facts->ranks - 1);
}
