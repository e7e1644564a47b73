/* This header declares how a blocking call that was made before, with the same arguments but
 * the buffers' addresses, goes straight to the operation that it was: its arguments need not be
 * looked at again, as what was right remains so.
 *
 * What is compared: the operation, root, communicator, op and the types that are significant on
 * this rank, these by handle and tag, so that a type which was freed is none. */
#ifndef MPJ_SRC_COLL_CALLS_AGAIN_H
#define MPJ_SRC_COLL_CALLS_AGAIN_H

#include "base/hot.h"
#include "coll/calls/collective.h"

/* Run the call if it is one; *status is what it returns. Else nothing has been done. */
MPJ_HOT bool mpj_again(const struct mpj_arguments *a, int *status);

#endif
