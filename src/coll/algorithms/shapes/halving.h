/* This header declares recursive halving: q = 2^m ranks, each with a sum of the whole
 * vector, exchange halves of what they have, so that each ends with one of q stretches
 * combined over all.
 *
 * Distances grow (1, 2, 4, ...), so operands stay in the order of ranks; the
 * stretch that a rank ends with is that of its number with the bits reversed. */
#ifndef MPJ_SRC_COLL_ALGORITHMS_SHAPES_HALVING_H
#define MPJ_SRC_COLL_ALGORITHMS_SHAPES_HALVING_H

#include "coll/algorithms/shapes/exchange.h"

struct mpj_halving {
  const struct mpj_groups *groups; /* radix 2 */
  struct mpj_operand room[2];      /* whole, dense, writable; room[0] may be the input */
  struct mpj_operand at;           /* in: the sum so far; out: where this rank's stretch is */
  int first, span;                 /* out: of the stretches */
};

/* Stretches first .. first + span - 1 of q of an operand. */
struct mpj_operand mpj_halving_stretch(const struct mpj_halving *h, struct mpj_operand whole,
                                       int first, int span);

/* Lay down the halving, of radix 2; by the first of each group. */
void mpj_halving_lay(struct mpj_flow *flow, struct mpj_halving *h);

/* Put the stretch into room[0], and double it until all have the whole there, in
 * as many further rounds. */
void mpj_halving_undo(struct mpj_flow *flow, struct mpj_halving *h);

#endif
