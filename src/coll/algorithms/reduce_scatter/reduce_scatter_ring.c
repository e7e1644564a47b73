/* This file lays down the reduce-scatter around a ring of ranks: each part is combined
 * on its way around, which ends at the rank that it belongs to.
 *
 * Cost: (p - 1)(alpha + n / p (beta + gamma)), with neighbours alone; with parts of
 * different sizes the largest one sets the pace. For operations that commute.
 * Source: Patarasuk, Yuan 2009; Open MPI's ring. */
#include "coll/plan/build.h"
#include "coll/select/algorithms.h"

void mpj_reduce_scatter_ring(struct mpj_flow *f, int root)
{
  (void)root;
  const int p = f->comm->size, me = f->comm->rank;
  const unsigned round = mpj_flow_phase(f, p - 1);
  mpj_flow_alias(f);
  const struct mpj_operand input = mpj_dense_input(f);
  struct mpj_operand sum = mpj_operand_parts(input, (me - 1 + p) % p, 1, p);
  for (int t = 0; t < p - 1; t++) {
    const int part = (me - t - 2 + 2 * p) % p;
    mpj_flow_send(f, (me + 1) % p, mpj_name(round, 1 + t), sum);
    sum = mpj_flow_temporary(f, mpj_operand_part(MPJ_BUFFER_SEND, part));
    mpj_flow_recv(f, (me - 1 + p) % p, mpj_name(round, 1 + t), sum);
    mpj_flow_reduce(f, mpj_operand_parts(input, part, 1, p), sum);
  }
  mpj_flow_copy(f, sum, mpj_operand_whole(MPJ_BUFFER_RECV));
}
