/* This file lays down the allreduce by recursive exchange: in each round k ranks
 * send one another the sum of k^t ranks that each has, and all combine them in the
 * same order, so all get the same bits.
 *
 * Cost for p = k^m: log_k p (k - 1)(alpha + n (beta + gamma)); two more messages where p
 * is no power of k. Wins for short data where ranks have cores of their own.
 * Source: Thakur, Rabenseifner, Gropp 2005 (recursive doubling, k = 2); A. Ruefenacht et
 * al., "Generalisation of recursive doubling for allreduce", 2017 (any k). */
#include "coll/algorithms/shapes/exchange.h"
#include "coll/select/algorithms.h"

static struct mpj_operand exchange(struct mpj_flow *f, const struct mpj_groups *g, int radix,
                                   struct mpj_operand sum, bool writable)
{
  const struct mpj_operand like = mpj_input_buffer(f->variant);
  for (int d = 1, t = 0; d < g->count; d *= radix, t++) {
    const int digit = g->mine / d % radix;
    struct mpj_fold fold = mpj_fold_begin(f, radix);
    for (int j = 0; j < radix; j++) {
      const struct mpj_operand term = j == digit ? sum : mpj_flow_temporary(f, like);
      mpj_fold_add(&fold, term);
      if (j == digit) continue;
      const int peer = mpj_exchange_peer(g, radix, d, j);
      mpj_flow_send(f, peer, mpj_exchange_name(g, t, digit), sum);
      mpj_flow_recv(f, peer, mpj_exchange_name(g, t, j), term);
    }
    sum = mpj_fold_terms(f, &fold, writable || digit < radix - 1, like);
    writable = true;
  }
  return sum;
}

void mpj_allreduce_exchange(struct mpj_flow *f, int root)
{
  (void)root;
  const int radix = mpj_variant_radix(f->variant);
  const struct mpj_groups groups = mpj_exchange_begin(f, radix);
  const struct mpj_operand out = mpj_operand_whole(MPJ_BUFFER_RECV);
  bool writable;
  struct mpj_operand sum = mpj_exchange_gather_up(f, &groups, mpj_dense_input(f), &writable);
  if (f->comm->rank == groups.first) {
    sum = exchange(f, &groups, radix, sum, writable);
    mpj_flow_copy(f, sum, out);
    mpj_exchange_hand_down(f, &groups, sum);
  } else {
    mpj_exchange_hand_down(f, &groups, out);
  }
}
