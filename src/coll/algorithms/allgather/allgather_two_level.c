/* This file lays down the allgather by nodes: blocks go to the first rank of a node, the
 * first ones of the nodes exchange what their nodes have, and hand all of it out.
 *
 * Cost with N nodes of s ranks: (N - 1) alpha + n beta between nodes, where each block
 * comes to a node once; (s - 1) alpha + s n beta within (n of all ranks together). A node
 * whose ranks do not follow one another has several stretches, a message each. Wins for
 * short data where the network is slower than memory.
 * Source: the hierarchical allgathers of MPICH and Open MPI. */
#include "coll/algorithms/shapes/gathering.h"
#include "coll/algorithms/shapes/nodes.h"
#include "coll/select/algorithms.h"

/* Every stretch is named by its first rank. */
static unsigned name_of(int rank)
{
  return mpj_name(MPJ_FIRST_PHASE, 1 + rank);
}

/* How many ranks from place `at` of the row on follow one another on the node that ends at
 * place `end`. */
static int stretch(const struct mpj_nodes *nodes, int at, int end)
{
  int n = 1;
  while (at + n < end && nodes->row[at + n] == nodes->row[at] + n)
    n++;
  return n;
}

/* Send a node's stretches to a rank, or receive them from it. */
static void pass(struct mpj_flow *f, const struct mpj_nodes *nodes, struct mpj_ring_blocks room,
                 int node, int peer, bool send)
{
  const int end = nodes->start[node + 1];
  for (int at = nodes->start[node], n; at < end; at += n) {
    n = stretch(nodes, at, end);
    const struct mpj_operand blocks = mpj_ring_blocks_of(f, room, nodes->row[at], n);
    if (send)
      mpj_flow_send(f, peer, name_of(nodes->row[at]), blocks);
    else
      mpj_flow_recv(f, peer, name_of(nodes->row[at]), blocks);
  }
}

static void lead(struct mpj_flow *f, const struct mpj_nodes *nodes, struct mpj_ring_blocks room)
{
  const int size = mpj_node_size(nodes, nodes->mine), me = f->comm->rank;
  for (int i = 1; i < size; i++) {
    const int member = mpj_node_member(nodes, i);
    mpj_flow_recv(f, member, name_of(member), mpj_ring_blocks_of(f, room, member, 1));
  }
  for (int k = 1; k < nodes->count; k++)
    pass(f, nodes, room, nodes->mine, mpj_node_leader(nodes, (nodes->mine + k) % nodes->count),
         true);
  for (int k = 1; k < nodes->count; k++) {
    const int node = (nodes->mine - k + nodes->count) % nodes->count;
    pass(f, nodes, room, node, mpj_node_leader(nodes, node), false);
  }
  for (int i = 1; i < size; i++)
    mpj_flow_send(f, mpj_node_member(nodes, i), name_of(me),
                  mpj_ring_blocks_of(f, room, 0, f->comm->size));
}

void mpj_allgather_two_level(struct mpj_flow *f, int root)
{
  (void)root;
  struct mpj_nodes nodes;
  mpj_flow_phase(f, f->comm->size); /* the stretches */
  const struct mpj_ring_blocks room = mpj_gathering_begin(f);
  if (!mpj_nodes_find(f, &nodes)) return;
  if (nodes.seat == 0) {
    lead(f, &nodes, room);
  } else {
    const int leader = mpj_node_leader(&nodes, nodes.mine), me = f->comm->rank;
    mpj_flow_send(f, leader, name_of(me), mpj_ring_blocks_of(f, room, me, 1));
    mpj_flow_recv(f, leader, name_of(leader), mpj_ring_blocks_of(f, room, 0, f->comm->size));
  }
  mpj_gathering_end(f, room);
}
