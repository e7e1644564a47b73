/* This file tests the trees of the collectives, as a whole: every rank is somebody's child once,
 * both sides mean each other, and a tree of two levels enters each node once. */
#include "coll/algorithms/shapes/tree.h"

#include "base/memory.h"
#include "base/suite.h"

enum { RANKS_MAX = 33 };

static struct mpj_tree trees[RANKS_MAX];
static int node_of[RANKS_MAX];

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

/* Returns how many edges lead from node to node, or -1 if it is no tree of all ranks. */
static int check_tree(int size, int nodes, enum mpj_tree_kind kind, int radix, int root)
{
  int children = 0, crossing = 0;
  for (int rank = 0; rank < size; rank++) {
    const struct mpj_comm comm = comm_of(size, rank, nodes);
    mpj_tree_find(&comm, kind, radix, root, &trees[rank]);
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

int main(void)
{
  return RUN_SUITE("coll/tree", every_rank_is_a_child_once, two_levels_enter_every_node_once);
}
