/* This file tests the trees of the collectives, as a whole: every rank is somebody's child once,
 * both sides mean each other, and a tree of two levels enters each node once. */
#include "coll/algorithms/shapes/tree.h"

#include "base/memory.h"
#include "base/suite.h"

enum { RANKS_MAX = 33, WIDE = 700 };

static struct mpj_tree trees[WIDE];
static int node_of[WIDE];

static struct mpj_comm comm_of(int size, int rank, int nodes)
{
  struct mpj_comm comm = {.size = size, .rank = rank};
  comm.facts.ranks = size;
  comm.facts.nodes = nodes;
  comm.facts.node_of = node_of;
  return comm;
}

/* The stretch of child i of `rank` begins with it, and it knows who its parent is. */
static bool is_child(int rank, int i)
{
  const struct mpj_tree *t = &trees[rank];
  const struct mpj_tree_child *c = &t->child[i];
  const struct mpj_tree *there = &trees[c->rank];
  return c->first == (i == 0 ? t->place + 1 : t->child[i - 1].end) && c->first < c->end &&
         c->end <= t->end && mpj_tree_rank(t, c->first) == c->rank && there->parent == rank &&
         there->index == i && there->place == c->first && there->end == c->end;
}

static int check_trees(int size, int nodes, enum mpj_tree_kind kind, int radix, int root)
{
  int children = 0, crossing = 0;
  for (int rank = 0; rank < size; rank++) {
    const struct mpj_comm comm = comm_of(size, rank, nodes);
    if (!mpj_tree_find(&comm, kind, radix, root, &trees[rank])) return -1;
    if (mpj_tree_rank(&trees[rank], trees[rank].place) != rank) return -1;
  }
  if (trees[root].parent != -1 || trees[root].place != 0 || trees[root].end != size) return -1;
  for (int rank = 0; rank < size; rank++) {
    const struct mpj_tree *t = &trees[rank];
    const struct mpj_comm comm = comm_of(size, rank, nodes);
    const int n = t->nchildren;
    if (n > mpj_tree_most_children(&comm.facts, kind, radix)) return -1;
    for (int i = 0; i < n; i++) {
      if (!is_child(rank, i)) return -1;
      crossing += node_of[rank] != node_of[t->child[i].rank];
    }
    if (t->end != (n > 0 ? t->child[n - 1].end : t->place + 1)) return -1;
    if (kind != MPJ_TREE_TWO_LEVEL && mpj_tree_end(kind, radix, size, t->place) != t->end)
      return -1;
    children += n;
  }
  return children == size - 1 ? crossing : -1;
}

/* Returns how many edges lead from node to node, or -1 if it is no tree of all ranks. */
static int check_tree(int size, int nodes, enum mpj_tree_kind kind, int radix, int root)
{
  const int crossing = check_trees(size, nodes, kind, radix, root);
  for (int rank = 0; rank < size; rank++)
    mpj_tree_drop(&trees[rank]);
  return crossing;
}

START_TEST(every_rank_is_a_child_once)
{
  for (int size = 1; size <= RANKS_MAX; size += size < 12 ? 1 : 21)
    for (int radix = 1; radix <= 5; radix++)
      for (int root = 0; root < size; root++) {
        ck_assert_int_eq(check_tree(size, 1, MPJ_TREE_KARY, radix, root), 0);
        if (radix > 1) ck_assert_int_eq(check_tree(size, 1, MPJ_TREE_KNOMIAL, radix, root), 0);
      }
}
END_TEST

START_TEST(two_levels_enter_every_node_once)
{
  for (int size = 1; size <= RANKS_MAX; size += size < 8 ? 1 : 25)
    for (int nodes = 1; nodes <= size && nodes <= 5; nodes++)
      for (int cyclic = 0; cyclic < 2; cyclic++) {
        for (int rank = 0; rank < size; rank++)
          node_of[rank] = cyclic ? rank % nodes : rank * nodes / size;
        for (int radix = 2; radix <= 3; radix++)
          for (int root = 0; root < size; root++)
            ck_assert_int_eq(check_tree(size, nodes, MPJ_TREE_TWO_LEVEL, radix, root), nodes - 1);
      }
  for (int rank = 0; rank < RANKS_MAX; rank++)
    node_of[rank] = 0;
}
END_TEST

START_TEST(trees_have_no_limit_on_ranks_or_children)
{
  for (int root = 0; root < WIDE; root += 233) {
    ck_assert_int_eq(check_tree(WIDE, 1, MPJ_TREE_KARY, WIDE, root), 0);
    ck_assert_int_eq(check_tree(WIDE, 1, MPJ_TREE_KNOMIAL, 255, root), 0);
  }
  for (int rank = 0; rank < WIDE; rank++)
    node_of[rank] = rank * 300 / WIDE;
  for (int root = 0; root < WIDE; root += 233) {
    ck_assert_int_eq(check_tree(WIDE, 300, MPJ_TREE_TWO_LEVEL, 255, root), 299);
  }
  for (int rank = 0; rank < WIDE; rank++)
    node_of[rank] = 0;
}
END_TEST

START_TEST(a_tree_without_memory_is_that_of_a_rank_alone)
{
  const struct mpj_comm comm = comm_of(9, 3, 1);
  struct mpj_tree tree;
  mpj_memory_fail_after(0);
  const bool found = mpj_tree_find(&comm, MPJ_TREE_KNOMIAL, 2, 0, &tree);
  mpj_memory_fail_after(-1);
  ck_assert(!found && tree.nchildren == 0 && tree.parent == -1 && tree.end == tree.place + 1);
  mpj_tree_drop(&tree);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/tree", every_rank_is_a_child_once, two_levels_enter_every_node_once,
                   trees_have_no_limit_on_ranks_or_children,
                   a_tree_without_memory_is_that_of_a_rank_alone);
}
