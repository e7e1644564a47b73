/* This file lays down prefix reductions in rounds over all ranks.
 *
 * Cost: ceil(log_k p)(k - 1)(alpha + n (beta + gamma)), for any p and in the order of ranks;
 * Exscan combines twice.
 * Source: shapes/prefix.h. */
#include "coll/algorithms/shapes/prefix.h"
#include "coll/select/algorithms.h"

static int lay(const struct mpj_comm *comm, unsigned variant, bool exclusive,
               struct mpj_schedule_builder *b)
{
  struct mpj_flow f = mpj_flow_begin(comm, b, variant);
  struct mpj_prefix x = {.flow = &f,
                         .radix = mpj_variant_radix(variant),
                         .mine = comm->rank,
                         .count = comm->size,
                         .sum = mpj_dense_input(&f)};
  const struct mpj_operand out = mpj_operand_whole(MPJ_BUFFER_RECV);
  mpj_prefix_lay(&x, exclusive);
  if (exclusive && x.has_below) mpj_flow_copy(&f, x.below, out);
  const bool there = x.sum.buffer == MPJ_BUFFER_RECV; /* rank 0 in place */
  if (!exclusive && !there) mpj_flow_copy(&f, x.sum, out);
  return mpj_flow_end(&f);
}

int mpj_scan_exchange(const struct mpj_comm *comm, int root, unsigned variant,
                      struct mpj_schedule_builder *b)
{
  (void)root;
  return lay(comm, variant, false, b);
}

int mpj_exscan_exchange(const struct mpj_comm *comm, int root, unsigned variant,
                        struct mpj_schedule_builder *b)
{
  (void)root;
  return lay(comm, variant, true, b);
}
