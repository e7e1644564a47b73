/* This header declares the chain: the steps that combine the contributions of a
 * range of ranks, in rank order, into one operand. All reductions are laid down
 * with it, so all combine in the same order, whatever arrives first:
 *   dst = c(low) op (c(low + 1) op ( ... op c(high)))                         */
#ifndef MPJ_SRC_COLL_ALGORITHMS_SHAPES_CHAIN_H
#define MPJ_SRC_COLL_ALGORITHMS_SHAPES_CHAIN_H

#include "coll/plan/build.h"

struct mpj_chain {
  int low, high;           /* ranks, low <= high */
  unsigned phase;          /* in which contributions come, named by their distances */
  struct mpj_operand dst;  /* typed: where the result grows */
  struct mpj_operand own;  /* this rank's contribution, dense, if low <= rank <= high */
  bool own_in_dst;         /* where high is this rank: its contribution lies in dst already */
  struct mpj_operand like; /* what a contribution looks like, for temporaries */
  bool posted;             /* contributions may be posted */
  bool late;               /* dst is read by steps that may wait for other ranks: contributions
                              are taken in aside, else all could wait for each other */
};

/* Lay the chain down. */
void mpj_chain_lay(struct mpj_flow *flow, const struct mpj_chain *chain);

#endif
