/* This file lays down what precedes and follows a recursive exchange where there are
 * more ranks than a power of its radix. */
#include "coll/algorithms/shapes/exchange.h"

struct mpj_groups mpj_exchange_begin(struct mpj_flow *flow, int radix)
{
  struct mpj_groups groups = mpj_groups_of(flow->comm, radix);
  groups.down = mpj_flow_phase(flow, 1);
  groups.up = mpj_flow_phase(flow, radix - 1);
  groups.rounds = mpj_flow_phase(flow, 2 * radix * mpj_rounds(groups.count, radix));
  return groups;
}

struct mpj_operand mpj_exchange_gather_up(struct mpj_flow *flow, const struct mpj_groups *groups,
                                          struct mpj_operand input, bool *writable)
{
  const struct mpj_operand like = mpj_input_buffer(flow->variant);
  *writable = groups->size > 1;
  if (flow->comm->rank != groups->first) {
    mpj_flow_send(flow, groups->first, mpj_name(groups->up, flow->comm->rank - groups->first),
                  input);
    return input;
  }
  struct mpj_fold fold = mpj_fold_begin(flow, groups->size);
  mpj_fold_add(&fold, input);
  for (int i = 1; i < groups->size; i++) {
    const struct mpj_operand term = mpj_flow_temporary(flow, like);
    mpj_flow_recv(flow, groups->first + i, mpj_name(groups->up, i), term);
    mpj_fold_add(&fold, term);
  }
  return mpj_fold_terms(flow, &fold, true, like);
}

void mpj_exchange_hand_down(struct mpj_flow *flow, const struct mpj_groups *groups,
                            struct mpj_operand result)
{
  if (flow->comm->rank != groups->first) {
    mpj_flow_recv(flow, groups->first, mpj_name(groups->down, 1), result);
    return;
  }
  for (int i = 1; i < groups->size; i++)
    mpj_flow_send(flow, groups->first + i, mpj_name(groups->down, 1), result);
}

void mpj_exchange_hand_out(struct mpj_flow *flow, const struct mpj_groups *groups,
                           struct mpj_operand sums)
{
  const struct mpj_operand out = mpj_operand_whole(MPJ_BUFFER_RECV);
  const int p = flow->comm->size, first = groups->first;
  if (flow->comm->rank != first) {
    mpj_flow_recv(flow, first, mpj_name(groups->down, 1), out);
    return;
  }
  for (int i = 1; i < groups->size; i++)
    mpj_flow_send(flow, first + i, mpj_name(groups->down, 1),
                  mpj_operand_parts(sums, first + i, 1, p));
  mpj_flow_copy(flow, mpj_operand_parts(sums, first, 1, p), out);
}
