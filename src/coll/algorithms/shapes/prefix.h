/* This header declares prefix reductions in rounds over a row of ranks: in the round of distance d
 * = 1, k, k^2, ... a rank that has the sum of d ranks up to itself sends it to those d, 2 d, .. (k
 * - 1) d further up, and combines what it gets. In the order of the row.
 *
 * Cost: ceil(log_k count)(k - 1)(alpha + n (beta + gamma)), for any count; what lies below alone is
 * combined beside it, once more.
 * Source: W. D. Hillis, G. L. Steele, "Data parallel algorithms", 1986 (k = 2). */
#ifndef MPJ_SRC_COLL_ALGORITHMS_SHAPES_PREFIX_H
#define MPJ_SRC_COLL_ALGORITHMS_SHAPES_PREFIX_H

#include "coll/plan/build.h"

struct mpj_prefix {
  struct mpj_flow *flow;
  int radix, mine, count;   /* this rank is number mine of count, */
  const int *row;           /* [count] which are these; NULL: each is its number */
  unsigned phase;           /* of radix messages a round */
  struct mpj_operand sum;   /* in: this rank's term; out: of the ranks up to this one */
  bool writable;            /* it may grow there */
  struct mpj_operand below; /* out, if it is wanted: the same without this one; */
  bool has_below;           /* nobody is below the first */
};

/* Lay down all rounds; what lies below, too, if it is wanted. */
void mpj_prefix_lay(struct mpj_prefix *x, bool wants_below);

#endif
