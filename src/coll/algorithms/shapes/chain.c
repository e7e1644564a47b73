/* This file lays down chains of reductions in rank order. */
#include "coll/algorithms/shapes/chain.h"
#include "coll/plan/schedule_steps.h"

#include "coll/algorithms/shapes/to_all.h"

static unsigned bit_from(const struct mpj_comm *comm, const struct mpj_chain *chain, int rank)
{
  return chain->bit_offset + mpj_distance_bit(rank, comm->rank, comm->size);
}

/* The contribution of the highest rank goes straight to dst. */
static int lay_first(const struct mpj_comm *comm, struct mpj_schedule_builder *b,
                     const struct mpj_chain *chain)
{
  if (chain->high != comm->rank && chain->posted)
    return mpj_recv_from(comm, b, chain->high, chain->dst, chain->nguards, chain->guards);
  if (chain->high != comm->rank)
    return mpj_schedule_recv(b, chain->high, bit_from(comm, chain, chain->high), chain->dst,
                             chain->nguards, chain->guards);
  if (chain->own_in_dst) return chain->own_step;
  const int copied = mpj_schedule_copy(b, chain->own, chain->dst, chain->nguards, chain->guards);
  if (chain->own_step >= 0) mpj_schedule_after(b, copied, chain->own_step);
  return copied;
}

static int lay_arrival(const struct mpj_comm *comm, struct mpj_schedule_builder *b,
                       const struct mpj_chain *chain, int rank, struct mpj_operand aside, int last)
{
  const unsigned bit = bit_from(comm, chain, rank);
  if (chain->nguards > 0) return mpj_schedule_recv(b, rank, bit, aside, 0, NULL);
  return mpj_schedule_recv_reduce(b, rank, bit, aside, chain->dst, last >= 0, &last);
}

/* Combine the contribution of `rank` with what dst holds after step `last`. Where dst must
 * wait for guards, which may wait for other ranks to receive, the contribution is taken in
 * aside first: else all could wait for each other. */
static int lay_next(const struct mpj_comm *comm, struct mpj_schedule_builder *b,
                    const struct mpj_chain *chain, int rank, int last)
{
  struct mpj_operand in = chain->own;
  int here = chain->own_step;
  if (rank != comm->rank) {
    in = mpj_schedule_temporary(b, chain->like);
    here = lay_arrival(comm, b, chain, rank, in, last);
    if (chain->posted && mpj_may_post(comm)) mpj_schedule_may_be_posted(b, here);
    if (chain->nguards == 0) return here;
  }
  const bool first_write =
      chain->own_in_dst && chain->high == comm->rank && rank + 1 == chain->high;
  const int reduced =
      mpj_schedule_reduce(b, in, chain->dst, first_write ? chain->nguards : 0, chain->guards);
  if (last >= 0) mpj_schedule_after(b, reduced, last);
  if (here >= 0) mpj_schedule_after(b, reduced, here);
  return reduced;
}

int mpj_chain_lay(const struct mpj_comm *comm, struct mpj_schedule_builder *b,
                  const struct mpj_chain *chain)
{
  int last = lay_first(comm, b, chain);
  for (int rank = chain->high - 1; rank >= chain->low; rank--)
    last = lay_next(comm, b, chain, rank, last);
  return last;
}
