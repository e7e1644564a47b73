/* This header declares what algorithms lay down alike: input and result as something
 * dense, cut or whole, the combination of several contributions in order, and groups of
 * ranks as many as a power. */
#ifndef MPJ_SRC_COLL_PLAN_BUILD_H
#define MPJ_SRC_COLL_PLAN_BUILD_H

#include "coll/plan/flow.h"

/* Segment s of n; the whole where it is not cut. */
static inline struct mpj_operand mpj_cut(struct mpj_operand whole, int s, int n)
{
  return n > 1 ? mpj_operand_segment(whole, s, n) : whole;
}

/* How often a reach of 1 must be multiplied by `radix` to be p or more: ceil(log_radix p). */
static inline int mpj_rounds(int p, int radix)
{
  int n = 0;
  for (int64_t reach = 1; reach < p; reach *= radix)
    n++;
  return n;
}

/* Whether both, whole, are one place. */
static inline bool mpj_is_same_place(struct mpj_operand a, struct mpj_operand b)
{
  return a.buffer == b.buffer && a.part == b.part;
}

/* The number of segments, at least 1. */
static inline int mpj_segments_of(unsigned variant)
{
  return mpj_variant_segments(variant) > 1 ? mpj_variant_segments(variant) : 1;
}

/* A reduction's input buffer, whole: what its temporaries are like. */
static inline struct mpj_operand mpj_input_buffer(unsigned variant)
{
  return mpj_operand_whole(variant & MPJ_VARIANT_IN_PLACE ? MPJ_BUFFER_RECV : MPJ_BUFFER_SEND);
}

/* The input as something dense: the buffer itself, or a packed copy. */
struct mpj_operand mpj_dense_input(struct mpj_flow *flow);

/* Where a result can grow densely: the receive buffer if it is dense, else a
 * temporary like it, which mpj_deliver then copies there. */
struct mpj_operand mpj_dense_result(struct mpj_flow *flow);
void mpj_deliver(struct mpj_flow *flow, struct mpj_operand result);

/* Contributions to a reduction in rank order. */
struct mpj_fold {
  int n;
  struct mpj_operand *term; /* [most] dense; NULL: the schedule has failed */
};
/* Of `most` contributions at most, of which there are none yet; and one more behind them. */
struct mpj_fold mpj_fold_begin(struct mpj_flow *flow, int most);
static inline void mpj_fold_add(struct mpj_fold *fold, struct mpj_operand term)
{
  if (fold->term) fold->term[fold->n++] = term;
}

/* Combine: term[0] op (term[1] op ( ... op term[n - 1])). The result grows in the
 * last term if that may be written (`writable`), else in a new temporary like
 * `like`; where it is is returned. */
struct mpj_operand mpj_fold_terms(struct mpj_flow *flow, const struct mpj_fold *fold, bool writable,
                                  struct mpj_operand like);

/* All ranks in `count` groups of consecutive ones, as equal as can be. The first of
 * each group takes part for it. */
struct mpj_groups {
  int ranks, count, radix;
  int mine;                  /* group of this rank */
  int first, size;           /* its ranks */
  unsigned down, up, rounds; /* phases of an exchange (exchange.h) */
};
/* As many groups as the largest power of radix that is no more than there are ranks. */
struct mpj_groups mpj_groups_of(const struct mpj_comm *comm, int radix);
/* The first rank of group g; g may be count. */
int mpj_group_first(const struct mpj_groups *groups, int g);

#endif
