/* This header declares stretches of blocks around the ring of ranks: p blocks, of which
 * a stretch that passes the last one goes on with the first. Such a stretch is two of
 * memory and travels as two messages.
 *
 * A block is part i of a buffer, or segment i of p. */
#ifndef MPJ_SRC_COLL_ALGORITHMS_SHAPES_RING_BLOCKS_H
#define MPJ_SRC_COLL_ALGORITHMS_SHAPES_RING_BLOCKS_H

#include "coll/plan/build.h"

struct mpj_ring_blocks {
  struct mpj_operand whole;
  bool by_parts;
};

struct mpj_operand mpj_ring_blocks_of(const struct mpj_flow *flow, struct mpj_ring_blocks ring,
                                      int first, int span);

/* Send or receive blocks first .. first + span - 1, modulo p, by `name` and the one behind it. */
void mpj_ring_blocks_send(struct mpj_flow *flow, int peer, unsigned name,
                          struct mpj_ring_blocks ring, int first, int span);
void mpj_ring_blocks_recv(struct mpj_flow *flow, int peer, unsigned name,
                          struct mpj_ring_blocks ring, int first, int span);

/* The distances of the circulant graph: from p, halved and rounded up, down to 1: one more than p
 * has bits at most. Fills skip[0] = p, .., skip[n] = 1 and returns n, which is ceil(log2 p). */
enum { MPJ_SKIPS_MAX = 32 };
int mpj_circulant_skips(int size, int skip[MPJ_SKIPS_MAX]);

/* Reduce-scatter of p blocks along the circulant graph, for operations that commute:
 * afterwards block `rank` of `sum`, which begins as the input, is the result. `room` is
 * like sum. ceil(log2 p) rounds, a phase of its own. */
void mpj_circulant_reduce_scatter(struct mpj_flow *flow, struct mpj_ring_blocks sum,
                                  struct mpj_ring_blocks room);
/* Allgather of p blocks: block `rank` is there, in the end all are. A phase of its own. */
void mpj_circulant_allgather(struct mpj_flow *flow, struct mpj_ring_blocks blocks);

#endif
