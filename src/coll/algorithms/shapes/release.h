/* This header declares what a rank does whose data all others take: it posts it, or, where that is
 * not possible, sends it to each. */
#ifndef MPJ_SRC_COLL_ALGORITHMS_SHAPES_RELEASE_H
#define MPJ_SRC_COLL_ALGORITHMS_SHAPES_RELEASE_H

#include "coll/plan/build.h"

/* Named by distances; who sends begins with the next rank. */
void mpj_release_to_all(struct mpj_flow *flow, unsigned phase, struct mpj_operand what);

#endif
