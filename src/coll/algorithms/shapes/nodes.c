/* This file lines the ranks of a communicator up by nodes. */
#include "coll/algorithms/shapes/nodes.h"

static int node_of(const struct mpj_comm *comm, int rank)
{
  return comm->facts.node_of ? comm->facts.node_of[rank] : 0;
}

void mpj_nodes_find(const struct mpj_comm *comm, struct mpj_nodes *nodes)
{
  int at = 0;
  nodes->count = comm->facts.nodes;
  nodes->mine = node_of(comm, comm->rank);
  for (int node = 0; node < nodes->count; node++) {
    nodes->start[node] = at;
    for (int rank = 0; rank < comm->size; rank++) {
      if (node_of(comm, rank) != node) continue;
      if (rank == comm->rank) nodes->seat = at - nodes->start[node];
      nodes->row[at++] = rank;
    }
  }
  nodes->start[nodes->count] = at;
}
