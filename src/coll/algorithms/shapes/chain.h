/* This header declares the chain: the steps that combine the contributions of a
 * range of ranks, in rank order, into one operand. All reductions are laid down
 * with it, so all combine in the same order, whatever arrives first:
 *   dst = c(low) op (c(low + 1) op ( ... op c(high)))                         */
#ifndef MPJ_SRC_COLL_ALGORITHMS_SHAPES_CHAIN_H
#define MPJ_SRC_COLL_ALGORITHMS_SHAPES_CHAIN_H

#include "coll/comm/comm.h"

struct mpj_chain {
  int low, high;           /* ranks, low <= high */
  struct mpj_operand dst;  /* typed: where the result grows */
  struct mpj_operand own;  /* this rank's contribution, dense, if low <= rank <= high */
  int own_step;            /* step after which own is there, or -1 */
  bool own_in_dst;         /* where high is this rank: its contribution lies in dst already */
  struct mpj_operand like; /* what a contribution looks like, for temporaries */
  bool posted;             /* contributions may be posted (to_all.h) */
  unsigned bit_offset;     /* added to the distance bit of each arrival */
  int nguards;             /* steps that must be complete before dst may be written: */
  const int *guards;       /* [nguards] */
};

/* Lay the chain down; returns the step after which dst holds the result, or -1
 * if it does from the start. */
int mpj_chain_lay(const struct mpj_comm *comm, struct mpj_schedule_builder *b,
                  const struct mpj_chain *chain);

#endif
