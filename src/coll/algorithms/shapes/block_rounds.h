/* This header declares in what order n blocks go from one rank to all along the circulant
 * graph in n - 1 + ceil(log2 p) rounds, the fewest that are possible: in each round a rank
 * gives one block and takes one, each from or to one neighbour.
 *
 * Ranks stand in a row, place 0 being the one that has all blocks. In round i with
 * k = (i + x) mod q, q = ceil(log2 p) and x = -(n - 1) mod q, place r takes from
 * r - skip[k] and gives to r + skip[k], modulo p. Every place but 0 takes each block
 * once, and gives only what it took in an earlier round. Backward, giving and taking
 * exchanged, the same rounds are a reduction to place 0.
 * Threads: any. */
#ifndef MPJ_SRC_COLL_ALGORITHMS_SHAPES_BLOCK_ROUNDS_H
#define MPJ_SRC_COLL_ALGORITHMS_SHAPES_BLOCK_ROUNDS_H

#include "coll/algorithms/shapes/ring_blocks.h"

struct mpj_block_rounds {
  int nblocks, rounds, shift; /* n; n - 1 + q, 0 for one rank; x */
  int q;
  int skip[MPJ_SKIPS_MAX];  /* [q + 1] rising from 1 to p */
  int taken[MPJ_SKIPS_MAX]; /* [q] of the first q rounds for n = 1 mod q; negative: of those */
  int given[MPJ_SKIPS_MAX]; /* that the pattern repeats, less q */
  int place, size;
};

/* The rounds of the rank at `place` of `size`, for nblocks >= 1. O(log p) for what it
 * takes, O((log p)^2) for what it gives. */
void mpj_block_rounds_find(int size, int place, int nblocks, struct mpj_block_rounds *rounds);

/* What happens in round i: the block, or -1 for none, and the other's place. */
struct mpj_block_move {
  int block, peer;
};
struct mpj_block_move mpj_block_taken(const struct mpj_block_rounds *rounds, int i);
struct mpj_block_move mpj_block_given(const struct mpj_block_rounds *rounds, int i);

#endif
