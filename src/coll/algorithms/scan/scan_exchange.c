/* This file lays down prefix reductions in rounds over all ranks.
 *
 * Cost: ceil(log_k p)(k - 1)(alpha + n (beta + gamma)), for any p and in the order of ranks;
 * Exscan combines twice.
 * Source: shapes/prefix.h. */
#include "coll/algorithms/shapes/prefix.h"
#include "coll/select/algorithms.h"

static void lay(struct mpj_flow *f, bool exclusive)
{
  const int radix = mpj_variant_radix(f->variant);
  struct mpj_prefix x = {.flow = f,
                         .radix = radix,
                         .phase = mpj_flow_phase(f, radix * mpj_rounds(f->comm->size, radix)),
                         .mine = f->comm->rank,
                         .count = f->comm->size,
                         .sum = mpj_dense_input(f)};
  const struct mpj_operand out = mpj_operand_whole(MPJ_BUFFER_RECV);
  mpj_prefix_lay(&x, exclusive);
  if (exclusive && x.has_below) mpj_flow_copy(f, x.below, out);
  const bool there = x.sum.buffer == MPJ_BUFFER_RECV; /* rank 0 in place */
  if (!exclusive && !there) mpj_flow_copy(f, x.sum, out);
}

void mpj_scan_exchange(struct mpj_flow *f, int root)
{
  (void)root;
  lay(f, false);
}

void mpj_exscan_exchange(struct mpj_flow *f, int root)
{
  (void)root;
  lay(f, true);
}
