/* This header declares what becomes of a pair of ranks in a sparse Alltoall of which one describes
 * data and the other an empty part. The receiver's call returns MPJ_ERR_SIGNATURE, everything else
 * goes on, and the communicator stays usable:
 *
 *   the receiver          the sender                     what happens
 *   expects nothing       sent data                      it is declined, and an error of the call;
 * if that has ended, of the next one, on all ranks waits for data        is in the call, sends
 * nothing  when asked (watch.c), it answers that there is none waits for data        has ended the
 * call             after a while the receiver takes it that there is none */
#ifndef MPJ_SRC_COLL_FAILURE_ONE_SIDED_H
#define MPJ_SRC_COLL_FAILURE_ONE_SIDED_H

#include "coll/comm/comm.h"

static inline bool mpj_called_sparse(struct mpj_called called)
{
  return called.operation == MPJ_OPERATION_ALLTOALL && called.root == MPJ_SPARSE_ALLTOALL;
}

/* one_sided.c: what came from `source` is for no step of the slot's operation: true, if that is
 * because the pair is such a one; then it has been seen to. */
bool mpj_one_sided_came(struct mpj_comm *comm, struct mpj_slot *slot, int source,
                        const struct mpj_arrival_message *message);
/* The same of an operation, called `mine`, that has ended here. */
bool mpj_one_sided_late(struct mpj_comm *comm, int source, struct mpj_called mine,
                        const struct mpj_arrival_message *message);
/* unsent.c: `source` waits for this rank in the slot's operation: tell it if it does so in vain. */
void mpj_one_sided_answer(struct mpj_comm *comm, const struct mpj_slot *slot, int source);
/* The operation needs ranks that have ended it; false: it is no sparse Alltoall, and nothing has
 * been done. */
bool mpj_one_sided_ended(struct mpj_comm *comm, struct mpj_slot *slot);

#endif
