/* This file lines the ranks of a communicator up by nodes. */
#include "coll/algorithms/shapes/nodes.h"

/* Count the ranks of each node, then put each rank behind those of its node before it. */
bool mpj_nodes_find(struct mpj_flow *flow, struct mpj_nodes *nodes)
{
  const struct mpj_comm *comm = flow->comm;
  const struct mpj_facts *facts = &comm->facts;
  nodes->count = facts->nodes;
  nodes->mine = mpj_facts_node(facts, comm->rank);
  nodes->row = mpj_flow_room(flow, comm->size, sizeof *nodes->row);
  nodes->start = mpj_flow_room(flow, nodes->count + 2, sizeof *nodes->start);
  if (!nodes->row || !nodes->start) return false;
  int *at = nodes->start + 1; /* at[node]: where its next rank goes; in the end, where it ends */
  for (int rank = 0; rank < comm->size; rank++)
    at[mpj_facts_node(facts, rank) + 1]++;
  for (int node = 0; node < nodes->count; node++)
    at[node + 1] += at[node];
  for (int rank = 0; rank < comm->size; rank++) {
    const int place = at[mpj_facts_node(facts, rank)]++;
    if (rank == comm->rank) nodes->seat = place;
    nodes->row[place] = rank;
  }
  nodes->seat -= nodes->start[nodes->mine];
  return true;
}
