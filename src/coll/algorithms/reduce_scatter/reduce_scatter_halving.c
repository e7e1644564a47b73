/* This file lays down the reduce-scatter by recursive halving, with parts of any sizes:
 * each round a rank keeps the half that holds its own part.
 *
 * Cost for p = 2^m: log2 p alpha + (p - 1) / p n (beta + gamma); other ranks give their data
 * whole to a neighbour first, which sends them their part. For operations that commute.
 * Source: Thakur, Rabenseifner, Gropp 2005. */
#include "coll/algorithms/shapes/halving.h"
#include "coll/plan/schedule_steps.h"
#include "coll/select/algorithms.h"

int mpj_reduce_scatter_halving(const struct mpj_comm *comm, int root, unsigned variant,
                               struct mpj_schedule_builder *b)
{
  (void)root;
  struct mpj_flow f = mpj_flow_begin(comm, b, variant & ~(unsigned)MPJ_VARIANT_IN_PLACE);
  const struct mpj_groups groups = mpj_groups_of(comm, 2);
  const struct mpj_operand like = mpj_operand_whole(MPJ_BUFFER_SEND);
  f.aliased = variant & MPJ_VARIANT_IN_PLACE;
  struct mpj_halving h = {.groups = &groups, .shrinking = true, .by_parts = true};
  bool writable;
  h.at = mpj_exchange_gather_up(&f, &groups, mpj_dense_input(&f), &writable);
  if (comm->rank == groups.first) {
    h.room[0] = mpj_schedule_temporary(b, like);
    h.room[1] = writable ? h.at : mpj_schedule_temporary(b, like);
    mpj_halving_lay(&f, &h);
  }
  mpj_exchange_hand_out(&f, &groups, h.at);
  return mpj_flow_end(&f);
}
