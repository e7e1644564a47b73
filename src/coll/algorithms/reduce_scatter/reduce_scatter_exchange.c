/* This file lays down the reduce-scatter by recursive exchange of any radix k, with parts
 * of any sizes: each round a rank keeps the k'th of its stretch that holds its own part, and
 * gives the others to k - 1 ranks.
 *
 * Cost for p = k^m: log_k p (k - 1) alpha + (p - 1) / p n (beta + gamma); k = 2 is recursive
 * halving, larger k take less rounds and as many bytes. Other ranks give their data whole
 * to a neighbour first, which sends them their part. For operations that commute. Memory:
 * up to k copies of the data.
 * Source: R. Thakur, R. Rabenseifner, W. Gropp 2005 (k = 2); A. Ruefenacht et al. 2017 (any
 * k, for allreduce). */
#include "coll/algorithms/shapes/exchange.h"
#include "coll/select/algorithms.h"

struct shares {
  struct mpj_flow *flow;
  const struct mpj_groups *groups;
  int radix, first, span;                  /* of the groups whose parts this rank has to combine */
  struct mpj_operand at;                   /* what it has of them: the input, or */
  struct mpj_operand sum;                  /* where the sum grows */
  bool begun;                              /* at is sum */
  struct mpj_operand room[MPJ_RADIX_MOST]; /* [radix - 1] for what comes beside it */
};

static struct mpj_operand share(const struct shares *s, struct mpj_operand whole, int first,
                                int span)
{
  const int rank = mpj_group_first(s->groups, first);
  return mpj_operand_parts(whole, rank, mpj_group_first(s->groups, first + span) - rank,
                           s->groups->ranks);
}

/* What comes first goes where the sum grows, the rest beside it. */
static void take_in(struct shares *s, int j, int peer, unsigned name)
{
  const struct mpj_operand sum = share(s, s->sum, s->first, s->span);
  const struct mpj_operand other = share(s, s->begun ? s->room[j] : s->at, s->first, s->span);
  mpj_flow_recv(s->flow, peer, name, s->begun ? other : sum);
  mpj_flow_reduce(s->flow, other, sum);
  s->at = s->sum;
  s->begun = true;
}

static void lay_round(struct shares *s, int d, int t)
{
  const int digit = s->groups->mine / d % s->radix, first = s->first;
  s->span /= s->radix;
  s->first += digit * s->span;
  for (int j = 1; j < s->radix; j++) {
    const int to = (digit + j) % s->radix;
    mpj_flow_send(s->flow, mpj_exchange_peer(s->groups, s->radix, d, to),
                  mpj_exchange_name(s->groups, t, digit),
                  share(s, s->at, first + to * s->span, s->span));
  }
  for (int j = 1; j < s->radix; j++) {
    const int from = (digit - j + s->radix) % s->radix;
    take_in(s, j - 1, mpj_exchange_peer(s->groups, s->radix, d, from),
            mpj_exchange_name(s->groups, t, from));
  }
}

/* By the first of each group: combine its groups' parts. */
static void lay_rounds(struct shares *s)
{
  const struct mpj_operand like = mpj_operand_whole(MPJ_BUFFER_SEND);
  s->span = s->groups->count;
  s->sum = s->begun ? s->at : mpj_flow_temporary(s->flow, like);
  for (int j = 0; j < s->radix - 1; j++)
    s->room[j] = mpj_flow_temporary(s->flow, like);
  for (int d = s->groups->count / s->radix, t = 0; d >= 1; d /= s->radix, t++)
    lay_round(s, d, t);
}

void mpj_reduce_scatter_exchange(struct mpj_flow *f, int root)
{
  (void)root;
  const struct mpj_groups groups = mpj_exchange_begin(f, mpj_variant_radix(f->variant));
  struct shares s = {.flow = f, .groups = &groups, .radix = mpj_variant_radix(f->variant)};
  mpj_flow_alias(f);
  s.at = mpj_exchange_gather_up(f, &groups, mpj_dense_input(f), &s.begun);
  if (f->comm->rank == groups.first) lay_rounds(&s);
  mpj_exchange_hand_out(f, &groups, s.at);
}
