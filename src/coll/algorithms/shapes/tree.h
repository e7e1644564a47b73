/* This header declares the trees of the collectives: who is whose parent.
 *
 * The ranks stand in a row, the root first; a node's subtree is a stretch of the
 * row that begins with it. So what a subtree holds is one stretch, and, where the
 * row is that of the ranks, reductions keep their order.
 *   k-nomial  a node's children lead stretches of 1, .., 1 (k - 1 times), k, .., k,
 *             k^2, ...: ceil(log_k p) rounds, k - 1 messages a round
 *   k-ary     what follows a node is cut into k stretches as equal as can be; k = 1
 *             is the chain
 *   two-level the stretches are the nodes of the machine; their first ranks form a
 *             k-nomial tree, and each leads its node as a k-nomial tree */
#ifndef MPJ_SRC_COLL_ALGORITHMS_SHAPES_TREE_H
#define MPJ_SRC_COLL_ALGORITHMS_SHAPES_TREE_H

#include "coll/plan/flow.h"

enum mpj_tree_kind { MPJ_TREE_NONE, MPJ_TREE_KNOMIAL, MPJ_TREE_KARY, MPJ_TREE_TWO_LEVEL };

struct mpj_tree_child {
  int rank;
  int first, end; /* its stretch of the row */
};

struct mpj_tree {
  int root, size; /* the row: root, root + 1, ... around; or, */
  bool by_node;   /* for two levels, */
  int *row;       /* [size] who stands where */
  int place, end; /* this rank's stretch: [place, end) */
  int parent;     /* rank, or -1 */
  int index;      /* which of its parent's children this rank is */
  int nchildren;
  struct mpj_tree_child *child; /* [nchildren] in the order of the row */
  void *memory;                 /* of row and children, owned */
};

/* Who stands at a place of the row. */
static inline int mpj_tree_rank(const struct mpj_tree *tree, int place)
{
  return tree->by_node ? tree->row[place] : (tree->root + place) % tree->size;
}

/* The tree of `radix` >= 1 (k-nomial: >= 2) over comm's ranks, from comm->rank's place. For two
 * levels the row is node after node from the root's on, its own rank first. mpj_tree_drop must
 * follow. False: there is no memory, and the tree is that of a rank alone. */
bool mpj_tree_find(const struct mpj_comm *comm, enum mpj_tree_kind kind, int radix, int root,
                   struct mpj_tree *tree);
void mpj_tree_drop(struct mpj_tree *tree);
/* The same for a schedule, which remembers that there is no memory. */
void mpj_tree_lay(struct mpj_flow *flow, enum mpj_tree_kind kind, int radix, int root,
                  struct mpj_tree *tree);

/* Where the stretch of the node at `place` ends, in a tree of one level. */
int mpj_tree_end(enum mpj_tree_kind kind, int radix, int size, int place);

/* The most children that a node has. */
int mpj_tree_most_children(const struct mpj_facts *facts, enum mpj_tree_kind kind, int radix);

/* The algorithms mpj_OPERATION_knomial, _kary and _two_level: lay(), of the same parameters behind
 * the tree's kind, along each kind of tree. */
#define MPJ_TREE_ALGORITHM(name, kind, lay)                                                        \
  void name(struct mpj_flow *f, int root)                                                          \
  {                                                                                                \
    lay(kind, f, root);                                                                            \
  }
#define MPJ_TREE_ALGORITHMS(operation, lay)                                                        \
  MPJ_TREE_ALGORITHM(mpj_##operation##_knomial, MPJ_TREE_KNOMIAL, lay)                             \
  MPJ_TREE_ALGORITHM(mpj_##operation##_kary, MPJ_TREE_KARY, lay)                                   \
  MPJ_TREE_ALGORITHM(mpj_##operation##_two_level, MPJ_TREE_TWO_LEVEL, lay)

#endif
