/* This file lays down the exchange and combination of segments. */
#include "coll/algorithms/shapes/segments.h"

struct mpj_operand mpj_segments_lay(struct mpj_flow *f, struct mpj_operand result, bool is_segment)
{
  const int p = f->comm->size, me = f->comm->rank;
  const unsigned phase = mpj_flow_phase(f, p - 1);
  const struct mpj_operand input = mpj_dense_input(f);
  const bool over_it = mpj_is_same_place(input, result);
  struct mpj_chain chain = {.high = p - 1,
                            .phase = phase,
                            .dst = is_segment ? result : mpj_operand_segment(result, me, p),
                            .own = mpj_operand_segment(input, me, p),
                            .own_in_dst = over_it,
                            .like = mpj_operand_segment(mpj_input_buffer(f->variant), me, p)};
  for (int k = 1; k < p; k++) {
    const int to = (me + k) % p;
    mpj_flow_send(f, to, mpj_name_between(f, phase, me, to), mpj_operand_segment(input, to, p));
  }
  if (over_it && me < p - 1) { /* the result will lie over the own contribution */
    const struct mpj_operand packed = mpj_flow_temporary(f, chain.like);
    mpj_flow_copy(f, chain.own, packed);
    chain.own = packed;
  }
  mpj_chain_lay(f, &chain);
  return chain.dst;
}
