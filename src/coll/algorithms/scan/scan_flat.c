/* This file lays down the flat prefix reductions: each rank sends to all higher
 * ranks, and combines what comes from the lower ones in rank order.
 *
 * Cost: (p - 1)(alpha + n (beta + gamma)), one message deep. In place the result
 * is written when the input has left. */
#include "coll/algorithms/shapes/chain.h"
#include "coll/select/algorithms.h"

/* Both scans: combine ranks 0 .. high. */
static void lay(struct mpj_flow *f, int high)
{
  const int me = f->comm->rank;
  const unsigned all = mpj_flow_phase(f, f->comm->size - 1);
  const bool in_place = f->variant & MPJ_VARIANT_IN_PLACE;
  const struct mpj_operand input = mpj_input_buffer(f->variant);
  for (int to = me + 1; to < f->comm->size; to++)
    mpj_flow_send(f, to, mpj_name_between(f, all, me, to), input);
  const struct mpj_chain chain = {.high = high,
                                  .phase = all,
                                  .dst = mpj_operand_whole(MPJ_BUFFER_RECV),
                                  .own = input,
                                  .own_in_dst = in_place,
                                  .like = input,
                                  .late = in_place && me + 1 < f->comm->size};
  if (high >= 0) mpj_chain_lay(f, &chain);
}

void mpj_scan_flat(struct mpj_flow *f, int root)
{
  (void)root;
  lay(f, f->comm->rank);
}

void mpj_exscan_flat(struct mpj_flow *f, int root)
{
  (void)root;
  lay(f, f->comm->rank - 1);
}
