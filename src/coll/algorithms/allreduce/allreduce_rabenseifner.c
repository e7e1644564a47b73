/* This file lays down the allreduce of long data by recursive halving, after which
 * each rank has the sum of one stretch, and doubling, which brings them together.
 *
 * Cost for p = 2^m: 2 log2 p alpha + 2 (p - 1) / p n beta + (p - 1) / p n gamma; other
 * ranks' data goes whole to a neighbour first and comes back at the end. The order of
 * operands is that of ranks, since distances grow.
 * Source: R. Rabenseifner, "Optimization of collective reduction operations", 2004. */
#include "coll/algorithms/shapes/halving.h"
#include "coll/select/algorithms.h"

void mpj_allreduce_rabenseifner(struct mpj_flow *f, int root)
{
  (void)root;
  const struct mpj_groups groups = mpj_exchange_begin(f, 2);
  const struct mpj_operand input = mpj_dense_input(f), result = mpj_dense_result(f);
  bool writable;
  struct mpj_halving h = {.groups = &groups, .room = {result}};
  h.at = mpj_exchange_gather_up(f, &groups, input, &writable);
  if (f->comm->rank == groups.first) {
    /* A sum that may grow is used as one of the two rooms. */
    h.room[1] = writable ? h.at : mpj_flow_temporary(f, mpj_input_buffer(f->variant));
    mpj_halving_lay(f, &h);
    mpj_halving_undo(f, &h);
  }
  mpj_exchange_hand_down(f, &groups, result);
  mpj_deliver(f, result);
}
