/* This file lays down the allreduce of long data around a ring of ranks: p segments,
 * each combined on its way around, then sent around once more.
 *
 * Cost: 2 (p - 1)(alpha + n / p beta) + (p - 1) n / p gamma, with neighbours alone. Same
 * bits everywhere: each segment is combined along one way. For operations that commute:
 * a segment's way begins at another rank than the next one's.
 * Source: P. Patarasuk, X. Yuan, "Bandwidth optimal all-reduce algorithms", 2009. */
#include "coll/algorithms/shapes/ring_blocks.h"
#include "coll/select/algorithms.h"

/* Segment s's way ends here: the sum, in a temporary. */
static struct mpj_operand combine_around(struct mpj_flow *f, struct mpj_operand input, int *s)
{
  const int p = f->comm->size, me = f->comm->rank;
  const unsigned round = mpj_flow_phase(f, p - 1);
  const struct mpj_operand room = mpj_flow_temporary(f, mpj_input_buffer(f->variant));
  struct mpj_operand sum = mpj_operand_segment(input, me, p);
  *s = me;
  for (int t = 0; t < p - 1; t++) {
    mpj_flow_send(f, (me + 1) % p, mpj_name(round, 1 + t), sum);
    *s = (me - t - 1 + p) % p;
    sum = mpj_operand_segment(room, *s, p);
    mpj_flow_recv(f, (me - 1 + p) % p, mpj_name(round, 1 + t), sum);
    mpj_flow_reduce(f, mpj_operand_segment(input, *s, p), sum);
  }
  return sum;
}

void mpj_allreduce_ring(struct mpj_flow *f, int root)
{
  (void)root;
  const int p = f->comm->size, me = f->comm->rank;
  const struct mpj_operand input = mpj_dense_input(f), result = mpj_dense_result(f);
  int s;
  const struct mpj_operand sum = combine_around(f, input, &s);
  const unsigned second = mpj_flow_phase(f, p - 1);
  mpj_flow_copy(f, sum, mpj_operand_segment(result, s, p));
  for (int t = 0; t < p - 1; t++) {
    const unsigned name = mpj_name(second, 1 + t);
    mpj_flow_send(f, (me + 1) % p, name, mpj_operand_segment(result, (s - t + p) % p, p));
    mpj_flow_recv(f, (me - 1 + p) % p, name, mpj_operand_segment(result, (s - t - 1 + p) % p, p));
  }
  mpj_deliver(f, result);
}
