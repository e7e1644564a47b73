/* This file lines the ranks of a communicator up by nodes. */
#include "coll/algorithms/shapes/nodes.h"

void mpj_nodes_find(const struct mpj_comm *comm, struct mpj_nodes *nodes)
{
  int at = 0;
  nodes->count = comm->facts.nodes;
  nodes->mine = mpj_facts_node(&comm->facts, comm->rank);
  for (int node = 0; node < nodes->count; node++) {
    nodes->start[node] = at;
    for (int rank = 0; rank < comm->size; rank++) {
      if (mpj_facts_node(&comm->facts, rank) != node) continue;
      if (rank == comm->rank) nodes->seat = at - nodes->start[node];
      nodes->row[at++] = rank;
    }
  }
  nodes->start[nodes->count] = at;
}
