/* This file lays down the alltoall by nodes: parts for ranks on the same node go straight;
 * those for others go in a bundle to the first of the node, from there in one bundle a
 * node, and in one a rank to where they belong. Only the two ends know a part's size: bundles
 * say what they hold.
 *
 * Cost with N nodes of s ranks, n bytes a rank: (s - 1) alpha within and (N - 1) alpha
 * between nodes, where a flat one has s^2 (N - 1) messages; but all a node sends and gets,
 * 2 s n bytes, passes through its first rank. Wins for short data and many nodes.
 * Source: the leader-based alltoalls of MPICH and Open MPI. */
#include "coll/algorithms/shapes/nodes.h"
#include "coll/plan/flow.h"
#include "coll/select/algorithms.h"

struct crossing {
  struct mpj_flow *flow;
  struct mpj_nodes nodes;
  unsigned straight, from_member, from_node, down; /* phases */
  enum mpj_buffer input;
  struct mpj_operand *up; /* [seat] what a rank of this node has for others */
  struct mpj_operand *in; /* [node] what has come from it, at the leader */
};

static int first_of(const struct crossing *c)
{
  return c->nodes.start[c->nodes.mine];
}

/* Tags: where it goes, then where it is from, as places of the row. */
static struct mpj_operand bound_for(const struct crossing *c, struct mpj_operand bundle, int place,
                                    int places)
{
  const int p = c->flow->comm->size;
  return mpj_operand_records(bundle, place * p, places * p);
}

static struct mpj_operand record(const struct crossing *c, struct mpj_operand bundle, int to,
                                 int from)
{
  return mpj_operand_records(bundle, to * c->flow->comm->size + from, 1);
}

static void go_straight(const struct crossing *c, int peer)
{
  struct mpj_flow *f = c->flow;
  const int me = f->comm->rank;
  const struct mpj_operand part = mpj_operand_part(MPJ_BUFFER_RECV, peer);
  const bool in_place = c->input == MPJ_BUFFER_RECV;
  const struct mpj_operand came = in_place ? mpj_flow_temporary(f, part) : part;
  mpj_flow_send(f, peer, mpj_name_between(f, c->straight, me, peer),
                mpj_operand_part(c->input, peer));
  mpj_flow_recv(f, peer, mpj_name_between(f, c->straight, peer, me), came);
  if (in_place) mpj_flow_copy(f, came, part);
}

/* All that this rank has for other nodes. */
static void collect(struct crossing *c)
{
  const struct mpj_nodes *n = &c->nodes;
  const int p = c->flow->comm->size, mine = first_of(c) + n->seat;
  c->up[n->seat] = mpj_flow_bundle(c->flow);
  for (int to = 0; to < p; to++)
    if (to < n->start[n->mine] || to >= n->start[n->mine + 1])
      mpj_flow_copy(c->flow, mpj_operand_part(c->input, n->row[to]),
                    record(c, c->up[n->seat], to, mine));
}

static void exchange_with(struct crossing *c, int to, int from)
{
  struct mpj_flow *f = c->flow;
  const struct mpj_nodes *n = &c->nodes;
  const struct mpj_operand out = mpj_flow_bundle(f);
  for (int i = 0; i < mpj_node_size(n, n->mine); i++)
    mpj_flow_copy(f, bound_for(c, c->up[i], n->start[to], mpj_node_size(n, to)), out);
  mpj_flow_send(f, mpj_node_leader(n, to), mpj_name(c->from_node, 1 + n->mine), out);
  c->in[from] = mpj_flow_bundle(f);
  mpj_flow_recv(f, mpj_node_leader(n, from), mpj_name(c->from_node, 1 + from), c->in[from]);
}

static void hand_down(struct crossing *c, int seat)
{
  const struct mpj_nodes *n = &c->nodes;
  const struct mpj_operand down = mpj_flow_bundle(c->flow);
  for (int node = 0; node < n->count; node++)
    if (node != n->mine)
      mpj_flow_copy(c->flow, bound_for(c, c->in[node], first_of(c) + seat, 1), down);
  mpj_flow_send(c->flow, mpj_node_member(n, seat), mpj_name(c->down, 1), down);
}

static void lead(struct crossing *c)
{
  const struct mpj_nodes *n = &c->nodes;
  const int size = mpj_node_size(n, n->mine);
  for (int i = 1; i < size; i++) {
    c->up[i] = mpj_flow_bundle(c->flow);
    mpj_flow_recv(c->flow, mpj_node_member(n, i), mpj_name(c->from_member, i), c->up[i]);
  }
  for (int k = 1; k < n->count; k++)
    exchange_with(c, (n->mine + k) % n->count, (n->mine - k + n->count) % n->count);
  for (int i = 1; i < size; i++)
    hand_down(c, i);
}

/* All but the leader: everything comes from there. */
static void follow(struct crossing *c)
{
  const struct mpj_nodes *n = &c->nodes;
  const int leader = mpj_node_leader(n, n->mine);
  const struct mpj_operand down = mpj_flow_bundle(c->flow);
  mpj_flow_send(c->flow, leader, mpj_name(c->from_member, n->seat), c->up[n->seat]);
  mpj_flow_recv(c->flow, leader, mpj_name(c->down, 1), down);
  for (int node = 0; node < n->count; node++)
    c->in[node] = down;
}

static void cross(struct crossing *c)
{
  const struct mpj_nodes *n = &c->nodes;
  c->up = mpj_flow_room(c->flow, mpj_node_size(n, n->mine), sizeof *c->up);
  c->in = mpj_flow_room(c->flow, n->count, sizeof *c->in);
  if (!c->up || !c->in) return;
  collect(c);
  if (n->seat == 0)
    lead(c);
  else
    follow(c);
  for (int node = 0; node < n->count; node++)
    for (int from = n->start[node]; node != n->mine && from < n->start[node + 1]; from++)
      mpj_flow_copy(c->flow, record(c, c->in[node], first_of(c) + n->seat, from),
                    mpj_operand_part(MPJ_BUFFER_RECV, n->row[from]));
}

void mpj_alltoall_two_level(struct mpj_flow *f, int root)
{
  (void)root;
  const bool in_place = f->variant & MPJ_VARIANT_IN_PLACE;
  const int me = f->comm->rank, p = f->comm->size;
  struct crossing c = {.flow = f, .input = in_place ? MPJ_BUFFER_RECV : MPJ_BUFFER_SEND};
  c.straight = mpj_flow_phase(f, p - 1);
  c.from_member = mpj_flow_phase(f, p - 1);
  c.from_node = mpj_flow_phase(f, f->comm->facts.nodes);
  c.down = mpj_flow_phase(f, 1);
  if (!mpj_nodes_find(f, &c.nodes)) return;
  const int size = mpj_node_size(&c.nodes, c.nodes.mine);
  for (int k = 1; k < size; k++)
    go_straight(&c, mpj_node_member(&c.nodes, (c.nodes.seat + k) % size));
  if (c.nodes.count > 1) cross(&c);
  if (!in_place)
    mpj_flow_copy(f, mpj_operand_part(MPJ_BUFFER_SEND, me), mpj_operand_part(MPJ_BUFFER_RECV, me));
}
