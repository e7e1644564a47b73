/* This file lays down what the algorithms have in common. */
#include "coll/plan/build.h"

struct mpj_operand mpj_dense_input(struct mpj_flow *flow)
{
  const bool in_place = flow->variant & MPJ_VARIANT_IN_PLACE;
  const struct mpj_operand input = mpj_input_buffer(flow->variant);
  const bool result_over_it = flow->aliased && flow->comm->size == 1; /* with nothing in between */
  if (!result_over_it &&
      flow->variant & (in_place ? MPJ_VARIANT_RECV_DENSE : MPJ_VARIANT_SEND_DENSE))
    return input;
  const struct mpj_operand packed = mpj_flow_temporary(flow, input);
  mpj_flow_copy(flow, input, packed);
  return packed;
}

struct mpj_operand mpj_dense_result(struct mpj_flow *flow)
{
  const struct mpj_operand out = mpj_operand_whole(MPJ_BUFFER_RECV);
  return flow->variant & MPJ_VARIANT_RECV_DENSE ? out : mpj_flow_temporary(flow, out);
}

void mpj_deliver(struct mpj_flow *flow, struct mpj_operand result)
{
  if (result.buffer != MPJ_BUFFER_RECV)
    mpj_flow_copy(flow, result, mpj_operand_whole(MPJ_BUFFER_RECV));
}

struct mpj_fold mpj_fold_begin(struct mpj_flow *flow, int most)
{
  return (struct mpj_fold){.term = mpj_flow_room(flow, most, sizeof(struct mpj_operand))};
}

struct mpj_operand mpj_fold_terms(struct mpj_flow *flow, const struct mpj_fold *fold, bool writable,
                                  struct mpj_operand like)
{
  if (fold->n == 0) return mpj_operand_none(); /* the schedule has failed */
  struct mpj_operand sum = fold->term[fold->n - 1];
  if (!writable && fold->n > 1) {
    sum = mpj_flow_temporary(flow, like);
    mpj_flow_copy(flow, fold->term[fold->n - 1], sum);
  }
  for (int i = fold->n - 2; i >= 0; i--)
    mpj_flow_reduce(flow, fold->term[i], sum);
  return sum;
}

int mpj_group_first(const struct mpj_groups *groups, int g)
{
  const int each = groups->ranks / groups->count, more = groups->ranks % groups->count;
  return g * each + (g < more ? g : more);
}

struct mpj_groups mpj_groups_of(const struct mpj_comm *comm, int radix)
{
  struct mpj_groups groups = {.ranks = comm->size, .count = 1, .radix = radix};
  while (groups.count <= comm->size / radix)
    groups.count *= radix;
  while (mpj_group_first(&groups, groups.mine + 1) <= comm->rank)
    groups.mine++;
  groups.first = mpj_group_first(&groups, groups.mine);
  groups.size = mpj_group_first(&groups, groups.mine + 1) - groups.first;
  return groups;
}
