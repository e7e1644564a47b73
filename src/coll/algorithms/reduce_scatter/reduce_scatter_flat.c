/* This file lays down the flat reduce-scatter: part j of each rank's data goes
 * to rank j, which combines what it gets in rank order.
 *
 * In place the result lies over the input: it is written when every part has
 * left and the own one is packed aside, which it is also where it is not dense.
 * Cost: (p - 1)(alpha + n / p (beta + gamma)), one message deep: the least that
 * can be moved and combined. */
#include "coll/algorithms/shapes/chain.h"
#include "coll/select/algorithms.h"

void mpj_reduce_scatter_flat(struct mpj_flow *f, int root)
{
  (void)root;
  const int p = f->comm->size, me = f->comm->rank;
  const unsigned parts = mpj_flow_phase(f, p - 1);
  mpj_flow_alias(f);
  const bool aside = f->aliased || !(f->variant & MPJ_VARIANT_SEND_DENSE);
  const struct mpj_operand mine = mpj_operand_part(MPJ_BUFFER_SEND, me);
  const struct mpj_operand packed = aside ? mpj_flow_temporary(f, mine) : mine;
  if (aside) mpj_flow_copy(f, mine, packed);
  for (int k = 1; k < p; k++) {
    const int to = (me + k) % p;
    mpj_flow_send(f, to, mpj_name_between(f, parts, me, to), mpj_operand_part(MPJ_BUFFER_SEND, to));
  }
  mpj_chain_lay(f, &(struct mpj_chain){.high = p - 1,
                                       .phase = parts,
                                       .dst = mpj_operand_whole(MPJ_BUFFER_RECV),
                                       .own = packed,
                                       .like = mine,
                                       .late = f->aliased});
}
