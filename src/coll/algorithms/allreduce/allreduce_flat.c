/* This file lays down the flat allreduce: everybody sends to everybody, and
 * each combines all contributions in rank order, so all get the same bits.
 *
 * Cost: (p - 1)(alpha + n (beta + gamma)), one message deep, and (p - 1) n bytes
 * of temporaries. Wins for short data, and by far where ranks exceed the cores. */
#include "coll/algorithms/shapes/chain.h"
#include "coll/algorithms/shapes/to_all.h"
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

int mpj_allreduce_flat(const struct mpj_comm *comm, int root, unsigned variant,
                       struct mpj_schedule_builder *b)
{
  (void)root;
  const bool in_place = variant & MPJ_VARIANT_IN_PLACE;
  struct mpj_operand input = mpj_operand_whole(in_place ? MPJ_BUFFER_RECV : MPJ_BUFFER_SEND);
  struct mpj_chain chain = {.high = comm->size - 1,
                            .dst = mpj_operand_whole(MPJ_BUFFER_RECV),
                            .like = input,
                            .own_step = -1,
                            .posted = true};
  if (in_place || !(variant & MPJ_VARIANT_SEND_DENSE)) {
    const struct mpj_operand packed = mpj_schedule_temporary(b, input);
    chain.own_step = mpj_schedule_copy(b, input, packed, 0, NULL);
    input = packed;
  }
  const int own_step = chain.own_step;
  chain.own = input;
  chain.nguards = in_place;
  chain.guards = &own_step;
  mpj_send_to_all(comm, b, input, own_step >= 0, &own_step);
  mpj_chain_lay(comm, b, &chain);
  return MPJ_SUCCESS;
}
