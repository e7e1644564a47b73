/* This header declares plays of reductions: a random one that every rank derives from the same
 * seed, carries out, and compares, gaps included, with a serial one in rank order. */
#ifndef MPJ_TESTS_COLL_REDUCTION_PLAY_H
#define MPJ_TESTS_COLL_REDUCTION_PLAY_H

#include "coll/plan/schedule.h"
#include "coll/runner.h"

/* This rank's part. 0, or 1 after a line on stderr that says what is wrong.
 *   operation  MPJ_OPERATION_REDUCE .. EXSCAN; MPJ_OPERATION_NONE: any of them
 *   number     of the op (reduction_model.h); -1: any
 *   exact      on values that round nowhere: for algorithms that set parentheses in other
 *              places than rank order does */
int reduction_play(const struct run *run, uint64_t seed, enum mpj_operation operation, int number,
                   bool exact);

#endif
