/* This file lays down prefix reductions by nodes: each rank combines what the ranks before
 * it on its node have; the last of a node, which so has the node's sum, sends it to the
 * first of each later node, which combines those and gives the sum to its node.
 *
 * Cost with N nodes of s ranks: (N - 1)(alpha + n (beta + gamma)) between nodes, s times
 * that within; three messages deep. In the order of ranks. Wins for short data where the
 * network is slower than memory.
 * Source: the hierarchical scans of MPICH. */
#include "coll/algorithms/shapes/nodes.h"
#include "coll/plan/lay.h"
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

struct prefix {
  struct mpj_flow *flow;
  struct mpj_nodes nodes;
  struct mpj_operand input, like;
};

static unsigned bit_of_node(const struct prefix *x, int node)
{
  return (unsigned)(x->flow->comm->size + node);
}

static struct mpj_operand receive(const struct prefix *x, int from, unsigned bit)
{
  const struct mpj_operand term = mpj_schedule_temporary(x->flow->b, x->like);
  mpj_flow_recv(x->flow, from, bit, term);
  return term;
}

/* Inputs go to the later ranks of the node; those of the earlier ones are the terms. */
static void exchange_inputs(const struct prefix *x, struct mpj_fold *before)
{
  const int p = x->flow->comm->size, me = x->flow->comm->rank;
  for (int i = x->nodes.seat + 1; i < mpj_node_size(&x->nodes, x->nodes.mine); i++) {
    const int to = mpj_node_member(&x->nodes, i);
    mpj_flow_send(x->flow, to, mpj_distance_bit(me, to, p), x->input);
  }
  for (int i = 0; i < x->nodes.seat; i++) {
    const int from = mpj_node_member(&x->nodes, i);
    mpj_fold_add(before, receive(x, from, mpj_distance_bit(from, me, p)));
  }
}

/* With this rank's own: in a new temporary. */
static struct mpj_operand combine_with_own(const struct prefix *x, struct mpj_fold fold)
{
  mpj_fold_add(&fold, x->input); /* behind what others see of it */
  if (fold.n > 1) return mpj_fold_terms(x->flow, &fold, false, x->like);
  const struct mpj_operand sum = mpj_schedule_temporary(x->flow->b, x->like);
  mpj_flow_copy(x->flow, x->input, sum);
  return sum;
}

/* The last of a node tells the first of later ones the node's sum. */
static void tell_later_nodes(const struct prefix *x, struct mpj_operand sum)
{
  for (int node = x->nodes.mine + 1; node < x->nodes.count; node++)
    mpj_flow_send(x->flow, mpj_node_leader(&x->nodes, node), bit_of_node(x, x->nodes.mine), sum);
}

/* The sum of all earlier nodes, of which there are some. */
static struct mpj_operand earlier_nodes(const struct prefix *x)
{
  const struct mpj_nodes *n = &x->nodes;
  const unsigned down = bit_of_node(x, n->count);
  if (n->seat > 0) return receive(x, mpj_node_leader(n, n->mine), down);
  struct mpj_fold fold = mpj_fold_begin(x->flow, n->mine);
  for (int node = 0; node < n->mine; node++)
    mpj_fold_add(&fold, receive(x, n->row[n->start[node + 1] - 1], bit_of_node(x, node)));
  const struct mpj_operand sum = mpj_fold_terms(x->flow, &fold, true, x->like);
  for (int i = 1; i < mpj_node_size(n, n->mine); i++)
    mpj_flow_send(x->flow, mpj_node_member(n, i), down, sum);
  return sum;
}

/* With what the earlier nodes have; nothing for the first rank of Exscan. */
static struct mpj_operand combine_nodes(const struct prefix *x, struct mpj_operand sum)
{
  if (x->nodes.mine == 0) return sum;
  const struct mpj_operand earlier = earlier_nodes(x);
  if (sum.buffer == MPJ_BUFFER_NONE) return earlier;
  mpj_flow_reduce(x->flow, earlier, sum);
  return sum;
}

static int lay(const struct mpj_comm *comm, unsigned variant, bool exclusive,
               struct mpj_schedule_builder *b)
{
  struct mpj_flow f = mpj_flow_begin(comm, b, variant);
  struct prefix x = {.flow = &f, .like = mpj_input_buffer(variant)};
  struct mpj_operand sum = mpj_operand_none();
  if (!mpj_nodes_find(comm, b, &x.nodes)) return mpj_flow_end(&f);
  struct mpj_fold before = mpj_fold_begin(&f, mpj_node_size(&x.nodes, x.nodes.mine));
  x.input = mpj_dense_input(&f);
  exchange_inputs(&x, &before);
  const bool last = x.nodes.seat + 1 == mpj_node_size(&x.nodes, x.nodes.mine);
  if (!exclusive || (last && x.nodes.mine + 1 < x.nodes.count)) sum = combine_with_own(&x, before);
  if (last) tell_later_nodes(&x, sum);
  if (exclusive)
    sum = before.n > 0 ? mpj_fold_terms(&f, &before, true, x.like) : mpj_operand_none();
  sum = combine_nodes(&x, sum);
  if (sum.buffer != MPJ_BUFFER_NONE) mpj_flow_copy(&f, sum, mpj_operand_whole(MPJ_BUFFER_RECV));
  return mpj_flow_end(&f);
}

int mpj_scan_two_level(const struct mpj_comm *comm, int root, unsigned variant,
                       struct mpj_schedule_builder *b)
{
  (void)root;
  return lay(comm, variant, false, b);
}

int mpj_exscan_two_level(const struct mpj_comm *comm, int root, unsigned variant,
                         struct mpj_schedule_builder *b)
{
  (void)root;
  return lay(comm, variant, true, b);
}
