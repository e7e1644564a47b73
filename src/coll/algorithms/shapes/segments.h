/* This header declares the first half of the reductions of long data: the data
 * is cut into p segments, and rank k combines segment k of all. */
#ifndef MPJ_SRC_COLL_ALGORITHMS_SHAPES_SEGMENTS_H
#define MPJ_SRC_COLL_ALGORITHMS_SHAPES_SEGMENTS_H

#include "coll/algorithms/shapes/chain.h"

struct mpj_segments {
  struct mpj_operand result; /* whole, dense: where results go; or a temporary like one segment: */
  bool result_is_segment;
  bool aliased;           /* result is the input */
  int reduced;            /* out: step after which this rank's segment of the result is there */
  int *sent;              /* out: [ranks] step by which segment j of the input has gone to rank j */
};

/* Lay down the sends of the segments and this rank's chain. Segments arrive with
 * the distance bit. False: there is no memory, which the schedule remembers. */
bool mpj_segments_lay(const struct mpj_comm *comm, unsigned variant, struct mpj_schedule_builder *b,
                      struct mpj_segments *s);

/* This rank's segment of the result. */
struct mpj_operand mpj_segments_own(const struct mpj_comm *comm, const struct mpj_segments *s);

#endif
