/* This file lays down the flat reduce: everybody sends to the root, which
 * combines in rank order.
 *
 * Cost: alpha + (p - 1) n (beta + gamma) at the root, and (p - 1) n bytes of
 * temporaries there. Wins for short data. */
#include "coll/algorithms/shapes/chain.h"
#include "coll/select/algorithms.h"

void mpj_reduce_flat(struct mpj_flow *f, int root)
{
  const int p = f->comm->size, me = f->comm->rank;
  const unsigned all = mpj_flow_phase(f, p - 1);
  const bool in_place = f->variant & MPJ_VARIANT_IN_PLACE;
  if (me != root) {
    mpj_flow_send(f, root, mpj_name_between(f, all, me, root), mpj_operand_whole(MPJ_BUFFER_SEND));
    return;
  }
  struct mpj_chain chain = {.high = p - 1,
                            .phase = all,
                            .dst = mpj_operand_whole(MPJ_BUFFER_RECV),
                            .own = mpj_input_buffer(f->variant),
                            .like = mpj_input_buffer(f->variant),
                            .own_in_dst = in_place};
  if (me < p - 1 && (in_place || !(f->variant & MPJ_VARIANT_SEND_DENSE))) {
    chain.own = mpj_flow_temporary(f, chain.like);
    mpj_flow_copy(f, chain.like, chain.own);
  }
  mpj_chain_lay(f, &chain);
}
