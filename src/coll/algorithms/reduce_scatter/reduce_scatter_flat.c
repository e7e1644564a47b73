/* This file lays down the flat reduce-scatter: part j of each rank's data goes
 * to rank j, which combines what it gets in rank order.
 *
 * In place the result lies over the input: it is written when every part has
 * left and the own one is packed aside, which it is also where it is not dense.
 * Cost: (p - 1)(alpha + n / p (beta + gamma)), one message deep: the least that
 * can be moved and combined. */
#include "coll/algorithms/shapes/chain.h"
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

int mpj_reduce_scatter_flat(const struct mpj_comm *comm, int root, unsigned variant,
                            struct mpj_schedule_builder *b)
{
  (void)root;
  const int p = comm->size, me = comm->rank;
  const bool in_place = variant & MPJ_VARIANT_IN_PLACE;
  const bool aside = in_place || !(variant & MPJ_VARIANT_SEND_DENSE);
  const struct mpj_operand mine = mpj_operand_part(MPJ_BUFFER_SEND, me);
  const struct mpj_operand packed = aside ? mpj_schedule_temporary(b, mine) : mine;
  int *steps = mpj_schedule_room(b, p, sizeof *steps), nsteps = 0;
  if (!steps) return MPJ_SUCCESS;
  if (aside) steps[nsteps++] = mpj_schedule_copy(b, mine, packed, 0, NULL);
  for (int k = 1; k < p; k++) {
    const int to = (me + k) % p;
    steps[nsteps++] = mpj_schedule_send(b, to, mpj_distance_bit(me, to, p),
                                        mpj_operand_part(MPJ_BUFFER_SEND, to), 0, NULL);
  }
  const struct mpj_chain chain = {.high = p - 1,
                                  .dst = mpj_operand_whole(MPJ_BUFFER_RECV),
                                  .own = packed,
                                  .own_step = aside ? steps[0] : -1,
                                  .like = mine,
                                  .nguards = in_place ? nsteps : 0,
                                  .guards = steps};
  mpj_chain_lay(comm, b, &chain);
  return MPJ_SUCCESS;
}
