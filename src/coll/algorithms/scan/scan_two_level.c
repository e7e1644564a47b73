/* This file lays down prefix reductions by nodes: in rounds within each node, then in rounds over
 * the nodes' last ranks, each of which so has the sum of all earlier nodes and gives it to its
 * node.
 *
 * Cost with N nodes of s ranks: ceil(log2 N)(alpha + n (beta + gamma)) between nodes, two messages
 * a node and round at most; (ceil(log2 s) + s - 1)(alpha + n (beta + gamma)) within. In the order
 * of ranks. Memory: ceil(log2 N) + ceil(log2 s) copies of the data. Wins for short data where the
 * network is slower than memory. Source: the hierarchical scans of MPICH; the rounds:
 * shapes/prefix.h. */
#include "coll/algorithms/shapes/nodes.h"
#include "coll/algorithms/shapes/prefix.h"
#include "coll/select/algorithms.h"

enum { RADIX = 2 };

struct levels {
  struct mpj_flow *flow;
  struct mpj_nodes nodes;
  struct mpj_prefix in;   /* this rank's node */
  unsigned between, down; /* phases */
};

static bool is_last(const struct levels *x)
{
  return x->nodes.seat + 1 == mpj_node_size(&x->nodes, x->nodes.mine);
}

/* [nodes] the last rank of each, or NULL: there is no memory, which the schedule remembers. */
static const int *last_ranks(const struct levels *x)
{
  const struct mpj_nodes *n = &x->nodes;
  int *last = mpj_flow_room(x->flow, n->count, sizeof *last);
  for (int node = 0; last && node < n->count; node++)
    last[node] = n->row[n->start[node + 1] - 1];
  return last;
}

/* The last of a node: what all earlier nodes have, for this one; in.sum goes on to be that of all
 * ranks up to this one. Nothing for the first node. */
static struct mpj_operand over_nodes(struct levels *x)
{
  const struct mpj_nodes *n = &x->nodes;
  struct mpj_prefix between = {.flow = x->flow,
                               .radix = RADIX,
                               .mine = n->mine,
                               .count = n->count,
                               .row = last_ranks(x),
                               .phase = x->between,
                               .sum = x->in.sum,
                               .writable = x->in.writable};
  if (!between.row) return mpj_operand_none();
  mpj_prefix_lay(&between, true);
  x->in.sum = between.sum;
  if (!between.has_below) return mpj_operand_none();
  for (int i = 0; i < n->seat; i++)
    mpj_flow_send(x->flow, mpj_node_member(n, i), mpj_name(x->down, 1), between.below);
  return between.below;
}

/* What earlier nodes have, from the last of this one; nothing in the first node. */
static struct mpj_operand from_last(const struct levels *x)
{
  const struct mpj_nodes *n = &x->nodes;
  if (n->mine == 0) return mpj_operand_none();
  const struct mpj_operand earlier =
      mpj_flow_temporary(x->flow, mpj_input_buffer(x->flow->variant));
  mpj_flow_recv(x->flow, n->row[n->start[n->mine + 1] - 1], mpj_name(x->down, 1), earlier);
  return earlier;
}

/* `sum` with what comes before it, either of which may be nothing. */
static struct mpj_operand combine(const struct levels *x, struct mpj_operand earlier,
                                  struct mpj_operand sum, bool writable)
{
  if (sum.buffer == MPJ_BUFFER_NONE) return earlier;
  if (earlier.buffer == MPJ_BUFFER_NONE) return sum;
  struct mpj_operand grown = sum;
  if (!writable) {
    grown = mpj_flow_temporary(x->flow, mpj_input_buffer(x->flow->variant));
    mpj_flow_copy(x->flow, sum, grown);
  }
  mpj_flow_reduce(x->flow, earlier, grown);
  return grown;
}

static void lay(struct mpj_flow *f, bool exclusive)
{
  const int most = RADIX * mpj_rounds(f->comm->size, RADIX);
  const unsigned within = mpj_flow_phase(f, most);
  struct levels x = {.flow = f, .between = mpj_flow_phase(f, most)};
  x.down = mpj_flow_phase(f, 1);
  if (!mpj_nodes_find(f, &x.nodes)) return;
  x.in = (struct mpj_prefix){.flow = f,
                             .radix = RADIX,
                             .phase = within,
                             .mine = x.nodes.seat,
                             .count = mpj_node_size(&x.nodes, x.nodes.mine),
                             .row = x.nodes.row + x.nodes.start[x.nodes.mine],
                             .sum = mpj_dense_input(f),
                             .below = mpj_operand_none()};
  mpj_prefix_lay(&x.in, exclusive);
  const bool last = is_last(&x);
  const struct mpj_operand earlier = last ? over_nodes(&x) : from_last(&x);
  struct mpj_operand result = x.in.sum; /* of the last, over all nodes already */
  if (exclusive)
    result = combine(&x, earlier, x.in.below, true);
  else if (!last)
    result = combine(&x, earlier, x.in.sum, x.in.writable);
  const bool there = result.buffer == MPJ_BUFFER_RECV; /* rank 0 in place */
  if (result.buffer != MPJ_BUFFER_NONE && !there)
    mpj_flow_copy(f, result, mpj_operand_whole(MPJ_BUFFER_RECV));
}

void mpj_scan_two_level(struct mpj_flow *f, int root)
{
  (void)root;
  lay(f, false);
}

void mpj_exscan_two_level(struct mpj_flow *f, int root)
{
  (void)root;
  lay(f, true);
}
