/* This file lays down the barrier by nodes: a node's ranks signal its first, the first
 * ones of the nodes disseminate, and each releases its node.
 *
 * Cost: 2 alpha within a node, of up to s - 1 messages for s ranks on it, and
 * ceil(log2 N) alpha between N nodes, one message a node and round. Wins where the
 * network is slower than memory.
 * Source: the two-level barriers of MPICH and Open MPI. */
#include "coll/algorithms/shapes/nodes.h"
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

enum { DOWN_BIT = 1 }; /* at a leader: 1 .. s - 1 members' signals, from s on the rounds' */

static unsigned round_bit(const struct mpj_nodes *nodes, int node, int round)
{
  return (unsigned)(mpj_node_size(nodes, node) + round);
}

/* Leaders: signal the one `distance` nodes on in each round. Returns the last step. */
static int disseminate(struct mpj_schedule_builder *b, const struct mpj_nodes *nodes, int ndeps,
                       int deps[])
{
  int last = ndeps > 0 ? deps[ndeps - 1] : -1;
  for (int distance = 1, round = 0; distance < nodes->count; distance *= 2, round++) {
    const int to = (nodes->mine + distance) % nodes->count;
    const int from = (nodes->mine - distance + nodes->count) % nodes->count;
    mpj_schedule_signal(b, mpj_node_leader(nodes, to), round_bit(nodes, to, round),
                        ndeps, deps);
    last = mpj_schedule_await(b, mpj_node_leader(nodes, from), round_bit(nodes, nodes->mine, round),
                              ndeps, deps);
    ndeps = 1;
    deps[0] = last;
  }
  return last;
}

static void lead(struct mpj_schedule_builder *b, const struct mpj_nodes *nodes)
{
  const int size = mpj_node_size(nodes, nodes->mine);
  int *deps = mpj_schedule_room(b, size + 1, sizeof *deps), ndeps = 0;
  if (!deps) return;
  for (int i = 1; i < size; i++)
    deps[ndeps++] = mpj_schedule_await(b, mpj_node_member(nodes, i), (unsigned)i, 0, NULL);
  if (nodes->count > 1) {
    deps[0] = disseminate(b, nodes, ndeps, deps);
    ndeps = 1;
  }
  for (int i = 1; i < size; i++)
    mpj_schedule_signal(b, mpj_node_member(nodes, i), DOWN_BIT, ndeps, deps);
}

int mpj_barrier_two_level(const struct mpj_comm *comm, int root, unsigned variant,
                          struct mpj_schedule_builder *b)
{
  (void)variant;
  (void)root;
  struct mpj_nodes nodes;
  if (!mpj_nodes_find(comm, b, &nodes)) return MPJ_SUCCESS;
  if (nodes.seat == 0) {
    lead(b, &nodes);
    return MPJ_SUCCESS;
  }
  const int leader = mpj_node_leader(&nodes, nodes.mine);
  mpj_schedule_signal(b, leader, (unsigned)nodes.seat, 0, NULL);
  mpj_schedule_await(b, leader, DOWN_BIT, 0, NULL);
  return MPJ_SUCCESS;
}
