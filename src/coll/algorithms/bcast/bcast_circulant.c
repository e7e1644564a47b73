/* This file lays down the broadcast of S blocks along the circulant graph, in as few
 * rounds as can be.
 *
 * Cost: (S - 1 + ceil(log2 p))(alpha + n / S beta) for any p and S; with the best S that
 * is n beta + 2 sqrt(ceil(log2 p) alpha n beta) and less than 2 log2 p alpha more. For one
 * block it is as deep as a binomial tree. Wins for long data where ranks have cores, or
 * links, of their own: the chain is as good in bytes and p deep.
 * Source: J. L. Traeff 2024 (block_rounds.c). */
#include "coll/algorithms/shapes/block_rounds.h"
#include "coll/select/algorithms.h"

static void take(struct mpj_flow *f, int from, unsigned name, struct mpj_operand whole, int block,
                 int blocks)
{
  const struct mpj_operand piece = mpj_cut(whole, block, blocks);
  mpj_flow_recv(f, from, name, piece);
  if (whole.buffer != MPJ_BUFFER_RECV)
    mpj_flow_copy(f, piece, mpj_cut(mpj_operand_whole(MPJ_BUFFER_RECV), block, blocks));
}

void mpj_bcast_circulant(struct mpj_flow *f, int root)
{
  const int p = f->comm->size, blocks = mpj_segments_of(f->variant);
  const struct mpj_operand buf = mpj_operand_whole(MPJ_BUFFER_RECV);
  const struct mpj_operand whole = blocks > 1 ? mpj_dense_result(f) : buf;
  const unsigned pieces = mpj_flow_phase(f, blocks);
  struct mpj_block_rounds rounds;
  mpj_block_rounds_find(p, (f->comm->rank - root + p) % p, blocks, &rounds);
  for (int s = 0; f->comm->rank == root && whole.buffer != MPJ_BUFFER_RECV && s < blocks; s++)
    mpj_flow_copy(f, mpj_cut(buf, s, blocks), mpj_cut(whole, s, blocks));
  for (int i = 0; i < rounds.rounds; i++) {
    const struct mpj_block_move out = mpj_block_given(&rounds, i), in = mpj_block_taken(&rounds, i);
    if (out.block >= 0)
      mpj_flow_send(f, (root + out.peer) % p, mpj_name(pieces, 1 + out.block),
                    mpj_cut(whole, out.block, blocks));
    if (in.block >= 0)
      take(f, (root + in.peer) % p, mpj_name(pieces, 1 + in.block), whole, in.block, blocks);
  }
}
