/* This file lays down the reduce-scatter by nodes: the first rank of a node combines what
 * its ranks have, the first ones of the nodes send each other the parts of their nodes,
 * and hand out what they have combined. In the order of ranks.
 *
 * Cost with N nodes of s ranks: (N - 1)(alpha + n / N (beta + gamma)) between nodes,
 * (s - 1)(alpha + n (beta + gamma)) within. Wins for short data where the network is slower
 * than memory. Memory at the first of a node: s + 1 copies of the data.
 * Source: the hierarchical reductions of MPICH and Open MPI. */
#include "coll/algorithms/shapes/nodes.h"
#include "coll/plan/build.h"
#include "coll/select/algorithms.h"

/* Phases: */
struct names {
  unsigned up, between, down;
};

/* The parts of a node's ranks, which follow one another. */
static struct mpj_operand parts_of(const struct mpj_flow *f, const struct mpj_nodes *n,
                                   struct mpj_operand whole, int node)
{
  return mpj_operand_parts(whole, mpj_node_leader(n, node), mpj_node_size(n, node), f->comm->size);
}

/* The sum of the node's ranks; *writable says whether it is no input. */
static struct mpj_operand combine_node(struct mpj_flow *f, const struct mpj_nodes *n, unsigned up,
                                       struct mpj_operand input, bool *writable)
{
  struct mpj_fold fold = mpj_fold_begin(f, mpj_node_size(n, n->mine));
  mpj_fold_add(&fold, input);
  for (int i = 1; i < mpj_node_size(n, n->mine); i++) {
    const struct mpj_operand term = mpj_flow_temporary(f, mpj_operand_whole(MPJ_BUFFER_SEND));
    mpj_flow_recv(f, mpj_node_member(n, i), mpj_name(up, i), term);
    mpj_fold_add(&fold, term);
  }
  *writable = fold.n > 1;
  return mpj_fold_terms(f, &fold, true, mpj_operand_whole(MPJ_BUFFER_SEND));
}

/* What the last node has for this one: where the sum grows. */
static struct mpj_operand begin_sum(struct mpj_flow *f, const struct mpj_nodes *n, unsigned between,
                                    struct mpj_operand own, bool writable)
{
  const int last = n->count - 1;
  if (n->mine == last && writable) return own;
  const struct mpj_operand sum = mpj_flow_temporary(f, mpj_operand_whole(MPJ_BUFFER_SEND));
  const struct mpj_operand place = parts_of(f, n, sum, n->mine);
  if (n->mine == last)
    mpj_flow_copy(f, parts_of(f, n, own, n->mine), place);
  else
    mpj_flow_recv(f, mpj_node_leader(n, last), mpj_name(between, 1 + last), place);
  return sum;
}

/* The parts of this node, combined over all nodes; own: over this one. */
static struct mpj_operand combine_all(struct mpj_flow *f, const struct mpj_nodes *n,
                                      unsigned between, struct mpj_operand own, bool writable)
{
  for (int k = 1; k < n->count; k++) {
    const int node = (n->mine + k) % n->count;
    mpj_flow_send(f, mpj_node_leader(n, node), mpj_name(between, 1 + n->mine),
                  parts_of(f, n, own, node));
  }
  const struct mpj_operand sum = begin_sum(f, n, between, own, writable);
  const struct mpj_operand room = mpj_flow_temporary(f, mpj_operand_whole(MPJ_BUFFER_SEND));
  for (int node = n->count - 2; node >= 0; node--) {
    const struct mpj_operand term = parts_of(f, n, node == n->mine ? own : room, n->mine);
    if (node != n->mine)
      mpj_flow_recv(f, mpj_node_leader(n, node), mpj_name(between, 1 + node), term);
    mpj_flow_reduce(f, term, parts_of(f, n, sum, n->mine));
  }
  return sum;
}

static void lead(struct mpj_flow *f, const struct mpj_nodes *n, struct names names,
                 struct mpj_operand input)
{
  const int p = f->comm->size;
  bool writable;
  const struct mpj_operand own = combine_node(f, n, names.up, input, &writable);
  const struct mpj_operand sum = combine_all(f, n, names.between, own, writable);
  for (int i = 1; i < mpj_node_size(n, n->mine); i++) {
    const int member = mpj_node_member(n, i);
    mpj_flow_send(f, member, mpj_name(names.down, 1), mpj_operand_parts(sum, member, 1, p));
  }
  mpj_flow_copy(f, mpj_operand_parts(sum, f->comm->rank, 1, p), mpj_operand_whole(MPJ_BUFFER_RECV));
}

void mpj_reduce_scatter_two_level(struct mpj_flow *f, int root)
{
  (void)root;
  struct mpj_nodes nodes;
  struct names names = {.up = mpj_flow_phase(f, f->comm->size - 1)};
  names.between = mpj_flow_phase(f, f->comm->facts.nodes);
  names.down = mpj_flow_phase(f, 1);
  mpj_flow_alias(f);
  if (!mpj_nodes_find(f, &nodes)) return;
  const struct mpj_operand input = mpj_dense_input(f);
  if (nodes.seat == 0) {
    lead(f, &nodes, names, input);
  } else {
    const int leader = mpj_node_leader(&nodes, nodes.mine);
    mpj_flow_send(f, leader, mpj_name(names.up, nodes.seat), input);
    mpj_flow_recv(f, leader, mpj_name(names.down, 1), mpj_operand_whole(MPJ_BUFFER_RECV));
  }
}
