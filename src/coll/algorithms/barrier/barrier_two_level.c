/* This file lays down the barrier by nodes: a node's ranks signal its first, the first
 * ones of the nodes disseminate, and each releases its node.
 *
 * Cost: 2 alpha within a node, of up to s - 1 messages for s ranks on it, and
 * ceil(log2 N) alpha between N nodes, one message a node and round. Wins where the
 * network is slower than memory.
 * Source: the two-level barriers of MPICH and Open MPI. */
#include "coll/algorithms/shapes/nodes.h"
#include "coll/plan/build.h"
#include "coll/select/algorithms.h"

struct names {
  unsigned up, rounds, down; /* phases */
};

/* Leaders: signal the one `distance` nodes on in each round. */
static void disseminate(struct mpj_flow *f, const struct mpj_nodes *nodes, unsigned rounds)
{
  for (int distance = 1, t = 1; distance < nodes->count; distance *= 2, t++) {
    const int to = (nodes->mine + distance) % nodes->count;
    const int from = (nodes->mine - distance + nodes->count) % nodes->count;
    mpj_flow_signal(f, mpj_node_leader(nodes, to), mpj_name(rounds, t));
    mpj_flow_await(f, mpj_node_leader(nodes, from), mpj_name(rounds, t));
  }
}

static void lead(struct mpj_flow *f, const struct mpj_nodes *nodes, struct names names)
{
  const int size = mpj_node_size(nodes, nodes->mine);
  for (int i = 1; i < size; i++)
    mpj_flow_await(f, mpj_node_member(nodes, i), mpj_name(names.up, i));
  disseminate(f, nodes, names.rounds);
  for (int i = 1; i < size; i++)
    mpj_flow_signal(f, mpj_node_member(nodes, i), mpj_name(names.down, 1));
}

void mpj_barrier_two_level(struct mpj_flow *f, int root)
{
  (void)root;
  struct mpj_nodes nodes;
  struct names names = {.up = mpj_flow_signals(f, f->comm->size - f->comm->facts.nodes)};
  names.rounds = mpj_flow_signals(f, mpj_rounds(f->comm->facts.nodes, 2));
  names.down = mpj_flow_signals(f, 1);
  if (!mpj_nodes_find(f, &nodes)) return;
  if (nodes.seat == 0) {
    lead(f, &nodes, names);
    return;
  }
  const int leader = mpj_node_leader(&nodes, nodes.mine);
  mpj_flow_signal(f, leader, mpj_name(names.up, nodes.seat));
  mpj_flow_await(f, leader, mpj_name(names.down, 1));
}
