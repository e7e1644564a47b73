/* This file lays down gathers and scatters of data of very different lengths, where each
 * rank knows its own alone: short data goes along a binomial tree in bundles, long data
 * straight between its rank and the root, as its owner decides by its length.
 *
 * Cost: (ceil(log2 p) + l) alpha + m beta for m bytes in all, l of the ranks with more than
 * s = MPJ_SHORT_BYTES, and at most s p log2 p / 2 bytes carried more than once: linear in the
 * data however it is spread, where trees alone move one rank's long data up to log2 p
 * times, and flat exchanges take p - 1 alpha.
 * Source: the bound is that of J. L. Traeff, "Practical, linear-time, fully distributed
 * algorithms for irregular gather and scatter", 2017, who reaches it by trees that grow with
 * the data; here long data is fetched by its receiver (US 8,056,090). */
#include "coll/algorithms/shapes/tree.h"
#include "coll/plan/flow.h"
#include "coll/select/algorithms.h"

enum { STRAIGHT_BIT = 1, DOWN_BIT = 2 }; /* of Scatter */

/* Of Gather, at the root: places 1 to p - 1 are the bits of what comes straight. */
static unsigned up_bit(const struct mpj_comm *comm, int child)
{
  return (unsigned)(comm->size + child);
}

static struct mpj_operand records(struct mpj_operand bundle, int first, int end)
{
  return mpj_operand_records(bundle, first, end - first);
}

/* Everything comes to its own step, by one way or the other. */
static void gather_at_root(struct mpj_flow *f, const struct mpj_tree *t)
{
  const int p = f->comm->size, root = f->comm->rank;
  for (int at = 1; at < p; at++)
    mpj_flow_recv_either(f, t->rank_of[at], (unsigned)at,
                         mpj_operand_part(MPJ_BUFFER_RECV, t->rank_of[at]));
  for (int i = 0; i < t->nchildren; i++) {
    const struct mpj_tree_child *c = &t->child[i];
    const struct mpj_operand came = mpj_schedule_bundle(f->b);
    mpj_flow_recv(f, c->rank, up_bit(f->comm, i), came);
    mpj_flow_deliver(f, records(came, c->first, c->end), (unsigned)c->first);
  }
  mpj_flow_copy(f, mpj_operand_whole(MPJ_BUFFER_SEND), mpj_operand_part(MPJ_BUFFER_RECV, root));
}

static void gather_from_here(struct mpj_flow *f, const struct mpj_tree *t, int root)
{
  const struct mpj_operand mine = mpj_operand_whole(MPJ_BUFFER_SEND);
  const struct mpj_operand up = mpj_schedule_bundle(f->b);
  mpj_flow_send_long(f, root, (unsigned)t->place, mine);
  mpj_flow_add_short(f, mine, records(up, t->place, t->place + 1));
  for (int i = 0; i < t->nchildren; i++) {
    const struct mpj_operand came = mpj_schedule_bundle(f->b);
    mpj_flow_recv(f, t->child[i].rank, up_bit(f->comm, i), came);
    mpj_flow_copy(f, came, up);
  }
  mpj_flow_send(f, t->parent, up_bit(f->comm, t->index), up);
}

int mpj_gather_linear(const struct mpj_comm *comm, int root, unsigned variant,
                      struct mpj_schedule_builder *b)
{
  struct mpj_tree t;
  struct mpj_flow f = mpj_flow_begin(comm, b, variant);
  mpj_tree_find(comm, MPJ_TREE_KNOMIAL, 2, root, &t);
  if (comm->rank == root)
    gather_at_root(&f, &t);
  else
    gather_from_here(&f, &t, root);
  return mpj_flow_end(&f);
}

/* Long parts go straight, the short ones of a subtree in one bundle. */
static void scatter_at_root(struct mpj_flow *f, const struct mpj_tree *t)
{
  for (int i = t->nchildren - 1; i >= 0; i--) {
    const struct mpj_tree_child *c = &t->child[i];
    const struct mpj_operand down = mpj_schedule_bundle(f->b);
    for (int at = c->first; at < c->end; at++)
      mpj_flow_add_short(f, mpj_operand_part(MPJ_BUFFER_SEND, t->rank_of[at]),
                         records(down, at, at + 1));
    mpj_flow_send(f, c->rank, DOWN_BIT, down);
  }
  for (int at = 1; at < f->comm->size; at++)
    mpj_flow_send_long(f, t->rank_of[at], STRAIGHT_BIT,
                       mpj_operand_part(MPJ_BUFFER_SEND, t->rank_of[at]));
  mpj_flow_copy(f, mpj_operand_part(MPJ_BUFFER_SEND, f->comm->rank),
                mpj_operand_whole(MPJ_BUFFER_RECV));
}

static void scatter_to_here(struct mpj_flow *f, const struct mpj_tree *t, int root)
{
  const struct mpj_operand came = mpj_schedule_bundle(f->b);
  mpj_flow_recv_either(f, root, STRAIGHT_BIT, mpj_operand_whole(MPJ_BUFFER_RECV));
  mpj_flow_recv(f, t->parent, DOWN_BIT, came);
  for (int i = t->nchildren - 1; i >= 0; i--) {
    const struct mpj_tree_child *c = &t->child[i];
    const struct mpj_operand down = mpj_schedule_bundle(f->b);
    mpj_flow_copy(f, records(came, c->first, c->end), down);
    mpj_flow_send(f, c->rank, DOWN_BIT, down);
  }
  mpj_flow_deliver(f, records(came, t->place, t->place + 1), STRAIGHT_BIT);
}

int mpj_scatter_linear(const struct mpj_comm *comm, int root, unsigned variant,
                       struct mpj_schedule_builder *b)
{
  struct mpj_tree t;
  struct mpj_flow f = mpj_flow_begin(comm, b, variant);
  mpj_tree_find(comm, MPJ_TREE_KNOMIAL, 2, root, &t);
  if (comm->rank == root)
    scatter_at_root(&f, &t);
  else
    scatter_to_here(&f, &t, root);
  return mpj_flow_end(&f);
}
