/* This header declares plays of exchanges: a random Allgather or Alltoall that every rank
 * derives from the same seed, carries out, and checks byte by byte. */
#ifndef MPJ_TESTS_COLL_EXCHANGE_PLAY_H
#define MPJ_TESTS_COLL_EXCHANGE_PLAY_H

#include "coll/plan/schedule.h"
#include "coll/runner.h"

/* This rank's part. 0, or 1 after a line on stderr that says what is wrong.
 *   operation  MPJ_OPERATION_ALLGATHER, ALLTOALL; MPJ_OPERATION_NONE: either */
int exchange_play(const struct run *run, uint64_t seed, enum mpj_operation operation);

#endif
