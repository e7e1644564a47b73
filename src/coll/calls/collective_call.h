/* This header declares the blocking call of a collective. */
#ifndef MPJ_SRC_COLL_CALLS_COLLECTIVE_CALL_H
#define MPJ_SRC_COLL_CALLS_COLLECTIVE_CALL_H

#include "coll/calls/collective.h"

/* The call, or in checking mode *copy of it with the error that its receive type overlaps itself
 * (MPJ_ERR_TYPE): for who runs or begins it. */
const struct mpj_prepared *mpj_check_receive(const struct mpj_prepared *p,
                                             struct mpj_prepared *copy);

/* Run the operation and wait for it. If the checks failed, take this rank through
 * it all the same so that the others hear of it, and return that status. */
int mpj_collective(const struct mpj_prepared *p);

#endif
