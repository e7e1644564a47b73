/* This header declares what a communicator keeps for its operations: records, and its place in the
 * list of those that have something to do. */
#ifndef MPJ_SRC_COLL_RUN_COMM_RECORDS_H
#define MPJ_SRC_COLL_RUN_COMM_RECORDS_H

#include "coll/comm/comm.h"

/* Put a communicator in its context's list of those with operations under way. */
void mpj_comm_list(struct mpj_comm *comm);
static inline void mpj_comm_is_busy(struct mpj_comm *comm)
{
  if (!comm->busy) mpj_comm_list(comm);
}

/* Zeroed records from the communicator's free lists; NULL when out of memory. */
struct mpj_transfer *mpj_comm_new_transfer(struct mpj_comm *comm);
void mpj_comm_drop_transfer(struct mpj_comm *comm, struct mpj_transfer *transfer);
struct mpj_early *mpj_comm_new_early(struct mpj_comm *comm);
void mpj_comm_drop_early(struct mpj_comm *comm, struct mpj_early *early);
/* Have records enough for a schedule that will be repeated: as many as its
 * operations can need at a time, up to MPJ_RECORDS_RESERVED of each kind. Where
 * there is no memory they are made later, when needed. */
void mpj_comm_reserve(struct mpj_comm *comm, const struct mpj_schedule *schedule);

#endif
