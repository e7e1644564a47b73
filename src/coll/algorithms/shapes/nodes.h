/* This header declares a communicator's ranks by nodes, for algorithms of two levels: the
 * ranks stand in a row, node after node, in rank order within each; the first of a node
 * leads it. */
#ifndef MPJ_SRC_COLL_ALGORITHMS_SHAPES_NODES_H
#define MPJ_SRC_COLL_ALGORITHMS_SHAPES_NODES_H

#include "coll/plan/flow.h"

struct mpj_nodes {
  int count;  /* nodes; each has a rank */
  int mine;   /* node of this rank, */
  int seat;   /* which is row[start[mine] + seat]; 0: it leads */
  int *row;   /* [ranks] */
  int *start; /* [count + 1] where each node begins */
};

/* Fills *nodes from the communicator's facts, until the schedule is finished. False: there is no
 * memory, which the schedule remembers. Cost: O(ranks + nodes). */
bool mpj_nodes_find(struct mpj_flow *flow, struct mpj_nodes *nodes);

static inline int mpj_node_leader(const struct mpj_nodes *nodes, int node)
{
  return nodes->row[nodes->start[node]];
}

static inline int mpj_node_size(const struct mpj_nodes *nodes, int node)
{
  return nodes->start[node + 1] - nodes->start[node];
}

/* The rank at seat i of this rank's node. */
static inline int mpj_node_member(const struct mpj_nodes *nodes, int i)
{
  return nodes->row[nodes->start[nodes->mine] + i];
}

#endif
