/* This file lays down the flat reduce: everybody sends to the root, which
 * combines in rank order.
 *
 * Cost: alpha + (p - 1) n (beta + gamma) at the root, and (p - 1) n bytes of
 * temporaries there. Wins for short data. */
#include "coll/algorithms/shapes/chain.h"
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

/* The root's own contribution as something dense that nobody writes. */
static void own_at_root(const struct mpj_comm *comm, unsigned variant,
                        struct mpj_schedule_builder *b, struct mpj_chain *chain)
{
  const bool in_place = variant & MPJ_VARIANT_IN_PLACE;
  const struct mpj_operand input = mpj_operand_whole(in_place ? MPJ_BUFFER_RECV : MPJ_BUFFER_SEND);
  chain->like = input;
  chain->own = input;
  chain->own_step = -1;
  if (comm->rank == chain->high) {
    chain->own_in_dst = in_place;
  } else if (in_place || !(variant & MPJ_VARIANT_SEND_DENSE)) {
    chain->own = mpj_schedule_temporary(b, input);
    chain->own_step = mpj_schedule_copy(b, input, chain->own, 0, NULL);
  }
}

int mpj_reduce_flat(const struct mpj_comm *comm, int root, unsigned variant,
                    struct mpj_schedule_builder *b)
{
  const int p = comm->size, me = comm->rank;
  if (me != root) {
    mpj_schedule_send(b, root, mpj_distance_bit(me, root, p), mpj_operand_whole(MPJ_BUFFER_SEND), 0,
                      NULL);
    return MPJ_SUCCESS;
  }
  struct mpj_chain chain = {.high = p - 1, .dst = mpj_operand_whole(MPJ_BUFFER_RECV)};
  own_at_root(comm, variant, b, &chain);
  const int own_step = chain.own_step;
  if ((variant & MPJ_VARIANT_IN_PLACE) && own_step >= 0) {
    chain.nguards = 1;
    chain.guards = &own_step;
  }
  mpj_chain_lay(comm, b, &chain);
  return MPJ_SUCCESS;
}
