/* This file lays down recursive halving, and the doubling that undoes it. */
#include "coll/algorithms/shapes/halving.h"

struct mpj_operand mpj_halving_stretch(const struct mpj_halving *h, struct mpj_operand whole,
                                       int first, int span)
{
  return mpj_operand_segments(whole, first, span, h->groups->count);
}

/* One round: keep half of [first, first + span), give the other half to the peer. */
static void halve(struct mpj_flow *flow, struct mpj_halving *h, int d, int t)
{
  const struct mpj_groups *g = h->groups;
  const int digit = g->mine / d % 2, peer = mpj_exchange_peer(g, 2, d, 1 - digit);
  const int half = h->span / 2, keep = h->first + digit * half;
  const int give = h->first + (1 - digit) * half;
  const struct mpj_operand next = mpj_is_same_place(h->at, h->room[0]) ? h->room[1] : h->room[0];
  const struct mpj_operand mine = mpj_halving_stretch(h, h->at, keep, half);
  const struct mpj_operand came = mpj_halving_stretch(h, next, keep, half);
  mpj_flow_send(flow, peer, mpj_exchange_name(g, t, digit),
                mpj_halving_stretch(h, h->at, give, half));
  mpj_flow_recv(flow, peer, mpj_exchange_name(g, t, 1 - digit), came);
  h->first = keep;
  h->span = half;
  if (digit == 0) {
    mpj_flow_reduce(flow, mine, came);
    h->at = next;
  } else if (mpj_is_same_place(h->at, h->room[0]) || mpj_is_same_place(h->at, h->room[1])) {
    mpj_flow_reduce(flow, came, mine);
  } else { /* the sum so far is an input, which stays as it is */
    const struct mpj_operand moved = mpj_halving_stretch(h, h->room[1], keep, half);
    mpj_flow_copy(flow, mine, moved);
    mpj_flow_reduce(flow, came, moved);
    h->at = h->room[1];
  }
}

void mpj_halving_lay(struct mpj_flow *flow, struct mpj_halving *h)
{
  const int q = h->groups->count;
  h->first = 0;
  h->span = q;
  for (int d = 1, t = 0; d < q; d *= 2, t++)
    halve(flow, h, d, t);
}

void mpj_halving_undo(struct mpj_flow *flow, struct mpj_halving *h)
{
  const struct mpj_groups *g = h->groups;
  const struct mpj_operand whole = h->room[0];
  int t = 0;
  for (int d = 1; d < g->count; d *= 2)
    t++; /* names behind those of the halving */
  if (!mpj_is_same_place(h->at, whole))
    mpj_flow_copy(flow, mpj_halving_stretch(h, h->at, h->first, h->span),
                  mpj_halving_stretch(h, whole, h->first, h->span));
  for (int d = g->count / 2; d >= 1; d /= 2, t++) {
    const int digit = g->mine / d % 2, peer = mpj_exchange_peer(g, 2, d, 1 - digit);
    const int theirs = digit ? h->first - h->span : h->first + h->span;
    mpj_flow_send(flow, peer, mpj_exchange_name(g, t, digit),
                  mpj_halving_stretch(h, whole, h->first, h->span));
    mpj_flow_recv(flow, peer, mpj_exchange_name(g, t, 1 - digit),
                  mpj_halving_stretch(h, whole, theirs, h->span));
    if (digit) h->first = theirs;
    h->span *= 2;
  }
  h->at = whole;
}
