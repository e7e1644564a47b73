/* This header declares what becomes of a pair of ranks in a sparse Alltoall of which one describes
 * data and the other an empty part. The receiver's call returns MPJ_ERR_SIGNATURE, everything else
 * goes on, and the communicator stays usable:
 *
 *   - data comes while its receiver, who expects none, is in the call: it is declined, and the call
 *     fails. Before the call ends it looks for such data.
 *   - data comes when its receiver has ended the call: it is declined. The next call of the user's
 *     that ends on the communicator is complete, and returns the error; if there is none,
 *     MPJ_Finalize does. The first one after a sparse Alltoall looks for such data, too.
 *   - a receiver waits for data, and who has none is in the call: when asked (watch.c), it answers
 *     that there is none.
 *   - a receiver waits for data, and who has none has ended the call: when asked, it answers so;
 *     and messages come in the order in which they were sent, so there is none. One that does not
 *     remember what it called: after a while the receiver takes it that there is none. */
#ifndef MPJ_SRC_COLL_FAILURE_ONE_SIDED_H
#define MPJ_SRC_COLL_FAILURE_ONE_SIDED_H

#include "base/hot.h"
#include "coll/comm/comm.h"

static inline bool mpj_called_sparse(struct mpj_called called)
{
  return called.operation == MPJ_OPERATION_ALLTOALL && called.root == MPJ_SPARSE_ALLTOALL;
}

/* one_sided.c: what came from `source` is for no step of the slot's operation: true, if that is
 * because the pair is such a one; then it has been seen to. */
bool mpj_one_sided_came(struct mpj_comm *comm, struct mpj_slot *slot, int source,
                        const struct mpj_arrival_message *message);
/* The same of an operation, called `mine`, that has ended here: another call will fail. */
bool mpj_one_sided_late(struct mpj_comm *comm, int source, struct mpj_called mine,
                        const struct mpj_arrival_message *message);
/* A call ends without a failure, of a communicator with `looks`: if stray data has come, it fails.
 */
MPJ_ASIDE void mpj_one_sided_tell(struct mpj_comm *comm, struct mpj_slot *slot);
/* The steps of a call have ended: take in what has come, if it may be stray data. */
MPJ_ASIDE void mpj_one_sided_look(struct mpj_comm *comm, const struct mpj_slot *slot);

/* unsent.c: `source` waits for this rank in the slot's operation: tell it if it does so in vain. */
void mpj_one_sided_answer(struct mpj_comm *comm, const struct mpj_slot *slot, int source);
/* `source` has ended the slot's operation, for which it is still needed here, and was in it. */
void mpj_one_sided_answered(struct mpj_comm *comm, struct mpj_slot *slot, int source);
/* The operation needs ranks that have ended it; false: it is no sparse Alltoall, and nothing has
 * been done. */
bool mpj_one_sided_ended(struct mpj_comm *comm, struct mpj_slot *slot);

#endif
