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

static void take(struct mpj_flow *f, int from, unsigned bit, struct mpj_operand whole, int block,
                 int blocks)
{
  const struct mpj_operand piece = mpj_cut(whole, block, blocks);
  mpj_flow_recv(f, from, bit, piece);
  if (whole.buffer != MPJ_BUFFER_RECV)
    mpj_flow_copy(f, piece, mpj_cut(mpj_operand_whole(MPJ_BUFFER_RECV), block, blocks));
}

int mpj_bcast_circulant(const struct mpj_comm *comm, int root, unsigned variant,
                        struct mpj_schedule_builder *b)
{
  struct mpj_flow f = mpj_flow_begin(comm, b, variant);
  const int p = comm->size, blocks = mpj_segments_of(variant);
  const struct mpj_operand buf = mpj_operand_whole(MPJ_BUFFER_RECV);
  const struct mpj_operand whole = blocks > 1 ? mpj_dense_result(&f) : buf;
  struct mpj_block_rounds rounds;
  mpj_block_rounds_find(p, (comm->rank - root + p) % p, blocks, &rounds);
  for (int s = 0; comm->rank == root && whole.buffer != MPJ_BUFFER_RECV && s < blocks; s++)
    mpj_flow_copy(&f, mpj_cut(buf, s, blocks), mpj_cut(whole, s, blocks));
  for (int i = 0; i < rounds.rounds; i++) {
    const struct mpj_block_move out = mpj_block_given(&rounds, i), in = mpj_block_taken(&rounds, i);
    if (out.block >= 0)
      mpj_flow_send(&f, (root + out.peer) % p, 1 + (unsigned)out.block,
                    mpj_cut(whole, out.block, blocks));
    if (in.block >= 0)
      take(&f, (root + in.peer) % p, 1 + (unsigned)in.block, whole, in.block, blocks);
  }
  return mpj_flow_end(&f);
}
