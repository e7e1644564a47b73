/* This header declares the recursive exchange: in each round ranks that stand d, 2 d,
 * .. (k - 1) d apart, d = 1, k, k^2, ..., exchange with one another. It is run by k^m
 * ranks, the firsts of as many groups of consecutive ranks; the others give what they
 * have to the first of their group, and get the result from it. */
#ifndef MPJ_SRC_COLL_ALGORITHMS_SHAPES_EXCHANGE_H
#define MPJ_SRC_COLL_ALGORITHMS_SHAPES_EXCHANGE_H

#include "coll/plan/build.h"

/* The groups of an exchange, and its phases: what the i'th of a group (0 < i < radix) gives to the
 * first, the rounds, twice as many as one exchange takes, and what comes down in the end. */
struct mpj_groups mpj_exchange_begin(struct mpj_flow *flow, int radix);

/* The name of what comes in round t from the one whose digit is j. */
static inline unsigned mpj_exchange_name(const struct mpj_groups *groups, int t, int j)
{
  return mpj_name(groups->rounds, 1 + groups->radix * t + j);
}

/* The peer in the round of distance d that has digit j: its rank. */
static inline int mpj_exchange_peer(const struct mpj_groups *groups, int radix, int d, int j)
{
  return mpj_group_first(groups, groups->mine + (j - groups->mine / d % radix) * d);
}

/* A reduction's beginning: the first of a group combines what the others of it give
 * (whole inputs); the sum is returned, and *writable says whether it may grow further. Others
 * give. */
struct mpj_operand mpj_exchange_gather_up(struct mpj_flow *flow, const struct mpj_groups *groups,
                                          struct mpj_operand input, bool *writable);

/* Its end: the first of a group sends the result to the others. */
void mpj_exchange_hand_down(struct mpj_flow *flow, const struct mpj_groups *groups,
                            struct mpj_operand result);

/* A reduce-scatter's end: the first of a group has the sums of all its parts, and sends
 * the others theirs. */
void mpj_exchange_hand_out(struct mpj_flow *flow, const struct mpj_groups *groups,
                           struct mpj_operand sums);

#endif
