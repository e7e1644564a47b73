/* This header declares how a rank leaves its job in good order. */
#ifndef MPJ_SRC_COLL_COMM_LEAVE_H
#define MPJ_SRC_COLL_COMM_LEAVE_H

#include "coll/comm/context.h"

/* End all communicators and finalize the context. In MPJ_Finalize operations whose requests have
 * been freed are finished first; other ones under way are abandoned, and all of a thread rank that
 * has returned, whose buffers may be gone. Waits until every other rank of each communicator has
 * ended it as well, or is gone, since what they have called is compared (closing.h). Errors:
 * MPJ_ERR_COMM: ranks have not called the same; the context is finalized all the same. */
int mpj_context_leave(struct mpj_context *context, bool in_finalize);

#endif
