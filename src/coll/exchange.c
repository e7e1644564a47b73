/* This file lays down what precedes and follows a recursive exchange where there are
 * more ranks than a power of its radix. */
#include "coll/exchange.h"

struct mpj_operand mpj_exchange_gather_up(struct mpj_flow *flow, const struct mpj_groups *groups,
                                          struct mpj_operand input, bool *writable)
{
  const struct mpj_operand like = mpj_input_buffer(flow->variant);
  struct mpj_fold fold = {.n = 1};
  *writable = groups->size > 1;
  if (flow->comm->rank != groups->first) {
    mpj_flow_send(flow, groups->first, mpj_exchange_up(flow->comm->rank - groups->first), input);
    return input;
  }
  fold.term[0] = input;
  for (int i = 1; i < groups->size; i++) {
    fold.term[i] = mpj_schedule_temporary(flow->b, like);
    mpj_flow_recv(flow, groups->first + i, mpj_exchange_up(i), fold.term[i]);
    fold.n++;
  }
  return mpj_fold_terms(flow, &fold, true, like);
}

void mpj_exchange_hand_down(struct mpj_flow *flow, const struct mpj_groups *groups,
                            struct mpj_operand result)
{
  if (flow->comm->rank != groups->first) {
    mpj_flow_recv(flow, groups->first, MPJ_EXCHANGE_DOWN, result);
    return;
  }
  for (int i = 1; i < groups->size; i++)
    mpj_flow_send(flow, groups->first + i, MPJ_EXCHANGE_DOWN, result);
}
