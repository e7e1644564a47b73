/* This file lays down exchanges of stretches around the ring of ranks, and along the
 * circulant graph, where each rank r is joined to r +- skip for few skips.
 *
 * ceil(log2 p) rounds for any p, and p - 1 blocks sent, received and combined by each
 * rank: the least of both at once.
 * Source: J. L. Traeff, "Optimal, non-pipelined reduce-scatter and allreduce algorithms",
 * 2024. */
#include "coll/algorithms/shapes/ring_blocks.h"

struct mpj_operand mpj_ring_blocks_of(const struct mpj_flow *flow, struct mpj_ring_blocks ring,
                                      int first, int span)
{
  const int p = flow->comm->size;
  return ring.by_parts ? mpj_operand_parts(ring.whole, first, span, p)
                       : mpj_operand_segments(ring.whole, first, span, p);
}

/* How many of the blocks come before the last one is passed. */
static int before_turn(const struct mpj_flow *flow, int first, int span)
{
  const int left = flow->comm->size - first;
  return span < left ? span : left;
}

void mpj_ring_blocks_send(struct mpj_flow *flow, int peer, unsigned name,
                          struct mpj_ring_blocks ring, int first, int span)
{
  first = (first % flow->comm->size + flow->comm->size) % flow->comm->size;
  const int n = before_turn(flow, first, span);
  mpj_flow_send(flow, peer, name, mpj_ring_blocks_of(flow, ring, first, n));
  if (n < span) mpj_flow_send(flow, peer, name + 1, mpj_ring_blocks_of(flow, ring, 0, span - n));
}

void mpj_ring_blocks_recv(struct mpj_flow *flow, int peer, unsigned name,
                          struct mpj_ring_blocks ring, int first, int span)
{
  first = (first % flow->comm->size + flow->comm->size) % flow->comm->size;
  const int n = before_turn(flow, first, span);
  mpj_flow_recv(flow, peer, name, mpj_ring_blocks_of(flow, ring, first, n));
  if (n < span) mpj_flow_recv(flow, peer, name + 1, mpj_ring_blocks_of(flow, ring, 0, span - n));
}

/* to := from (op) to, of such blocks. */
static void reduce(struct mpj_flow *flow, struct mpj_ring_blocks from, struct mpj_ring_blocks to,
                   int first, int span)
{
  const int n = before_turn(flow, first, span);
  mpj_flow_reduce(flow, mpj_ring_blocks_of(flow, from, first, n),
                  mpj_ring_blocks_of(flow, to, first, n));
  if (n == span) return;
  mpj_flow_reduce(flow, mpj_ring_blocks_of(flow, from, 0, span - n),
                  mpj_ring_blocks_of(flow, to, 0, span - n));
}

int mpj_circulant_skips(int size, int skip[MPJ_SKIPS_MAX])
{
  int n = 0;
  for (skip[0] = size; skip[n] > 1; n++)
    skip[n + 1] = skip[n] / 2 + skip[n] % 2;
  return n;
}

/* Of the first of two messages in a round. */
static unsigned name_of(unsigned phase, int round)
{
  return mpj_name(phase, 1 + 2 * round);
}

void mpj_circulant_reduce_scatter(struct mpj_flow *flow, struct mpj_ring_blocks sum,
                                  struct mpj_ring_blocks room)
{
  const int p = flow->comm->size, me = flow->comm->rank;
  int skip[MPJ_SKIPS_MAX];
  const int rounds = mpj_circulant_skips(p, skip);
  const unsigned phase = mpj_flow_phase(flow, 2 * rounds);
  for (int t = 0; t < rounds; t++) {
    const int s = skip[t + 1], n = skip[t] - s;
    mpj_ring_blocks_send(flow, (me + s) % p, name_of(phase, t), sum, me + s, n);
    mpj_ring_blocks_recv(flow, (me - s + p) % p, name_of(phase, t), room, me, n);
    reduce(flow, room, sum, me, n);
  }
}

void mpj_circulant_allgather(struct mpj_flow *flow, struct mpj_ring_blocks blocks)
{
  const int p = flow->comm->size, me = flow->comm->rank;
  int skip[MPJ_SKIPS_MAX];
  const int rounds = mpj_circulant_skips(p, skip);
  const unsigned phase = mpj_flow_phase(flow, 2 * rounds);
  for (int t = rounds - 1; t >= 0; t--) {
    const int s = skip[t + 1], n = skip[t] - s;
    mpj_ring_blocks_send(flow, (me - s + p) % p, name_of(phase, rounds - 1 - t), blocks, me, n);
    mpj_ring_blocks_recv(flow, (me + s) % p, name_of(phase, rounds - 1 - t), blocks, me + s, n);
  }
}
