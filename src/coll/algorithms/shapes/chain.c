/* This file lays down chains of reductions in rank order. */
#include "coll/algorithms/shapes/chain.h"

static void receive(struct mpj_flow *f, const struct mpj_chain *chain, int rank,
                    struct mpj_operand aside, struct mpj_operand dst)
{
  const unsigned name = mpj_name_between(f, chain->phase, rank, f->comm->rank);
  const int step = aside.buffer == MPJ_BUFFER_NONE
                       ? mpj_flow_recv(f, rank, name, dst)
                       : mpj_flow_recv_reduce(f, rank, name, aside, dst);
  if (chain->posted) mpj_flow_may_be_posted(f, step);
}

/* The contribution of the highest rank goes straight to dst. */
static void lay_first(struct mpj_flow *f, const struct mpj_chain *chain)
{
  if (chain->high != f->comm->rank)
    receive(f, chain, chain->high, mpj_operand_none(), chain->dst);
  else if (!chain->own_in_dst)
    mpj_flow_copy(f, chain->own, chain->dst);
}

/* Combine the contribution of `rank` with what dst holds. */
static void lay_next(struct mpj_flow *f, const struct mpj_chain *chain, int rank)
{
  if (rank == f->comm->rank) {
    mpj_flow_reduce(f, chain->own, chain->dst);
    return;
  }
  const struct mpj_operand aside = mpj_flow_temporary(f, chain->like);
  if (!chain->late) {
    receive(f, chain, rank, aside, chain->dst);
    return;
  }
  receive(f, chain, rank, mpj_operand_none(), aside);
  mpj_flow_reduce(f, aside, chain->dst);
}

void mpj_chain_lay(struct mpj_flow *f, const struct mpj_chain *chain)
{
  lay_first(f, chain);
  for (int rank = chain->high - 1; rank >= chain->low; rank--)
    lay_next(f, chain, rank);
}
