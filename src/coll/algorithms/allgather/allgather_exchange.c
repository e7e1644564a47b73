/* This file lays down the allgather by recursive exchange: in each round k ranks send
 * one another the stretch of blocks that each has.
 *
 * Cost for p = k^m: log_k p (k - 1) alpha + (p - 1) / p n beta (n of all ranks together);
 * other ranks give their block to a neighbour first, and get all of it at the end.
 * Source: Thakur, Rabenseifner, Gropp 2005 (recursive doubling, k = 2). */
#include "coll/algorithms/shapes/exchange.h"
#include "coll/algorithms/shapes/gathering.h"
#include "coll/select/algorithms.h"

static struct mpj_operand ranks(const struct mpj_flow *f, struct mpj_ring_blocks room, int first,
                                int end)
{
  return mpj_ring_blocks_of(f, room, first, end - first);
}

/* The stretch of the `span` groups that begin with the same digits as `group`. */
static struct mpj_operand groups_around(const struct mpj_flow *f, const struct mpj_groups *g,
                                        struct mpj_ring_blocks room, int group, int span)
{
  const int first = group / span * span;
  return ranks(f, room, mpj_group_first(g, first), mpj_group_first(g, first + span));
}

static void exchange(struct mpj_flow *f, const struct mpj_groups *g, struct mpj_ring_blocks room)
{
  const int radix = g->radix;
  for (int d = 1, t = 0; d < g->count; d *= radix, t++) {
    const int digit = g->mine / d % radix;
    for (int j = 0; j < radix; j++) {
      if (j == digit) continue;
      const int peer = mpj_exchange_peer(g, radix, d, j), theirs = g->mine + (j - digit) * d;
      mpj_flow_send(f, peer, mpj_exchange_name(g, t, digit), groups_around(f, g, room, g->mine, d));
      mpj_flow_recv(f, peer, mpj_exchange_name(g, t, j), groups_around(f, g, room, theirs, d));
    }
  }
}

void mpj_allgather_exchange(struct mpj_flow *f, int root)
{
  (void)root;
  const int p = f->comm->size, me = f->comm->rank;
  const struct mpj_groups g = mpj_exchange_begin(f, mpj_variant_radix(f->variant));
  const struct mpj_ring_blocks room = mpj_gathering_begin(f);
  if (me != g.first)
    mpj_flow_send(f, g.first, mpj_name(g.up, me - g.first), ranks(f, room, me, me + 1));
  for (int i = 1; i < g.size && me == g.first; i++)
    mpj_flow_recv(f, me + i, mpj_name(g.up, i), ranks(f, room, me + i, me + i + 1));
  if (me == g.first) exchange(f, &g, room);
  mpj_exchange_hand_down(f, &g, ranks(f, room, 0, p));
  mpj_gathering_end(f, room);
}
