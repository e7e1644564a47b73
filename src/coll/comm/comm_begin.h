/* This header declares how a communicator begins and ends. */
#ifndef MPJ_SRC_COLL_COMM_COMM_BEGIN_H
#define MPJ_SRC_COLL_COMM_COMM_BEGIN_H

#include "coll/comm/comm.h"

/* Set up a communicator of `size` ranks in zeroed memory.
 *   control  the number of its control window at this rank
 *   slots    how many operations may be under way: MPJ_WINDOW or MPJ_SMALL_WINDOW
 *   world  [size] members' numbers in WORLD, copied; NULL: their own
 * Errors: MPJ_ERR_NO_MEM. */
int mpj_comm_begin(struct mpj_comm *comm, struct mpj_context *context, uint32_t id, uint64_t serial,
                   unsigned control, unsigned slots, int rank, int size, const int *world,
                   struct mpj_net *net);
/* The same for a persistent request: its user's ranks, schedules and records; it has no id, window
 * or numbers yet. Errors: MPJ_ERR_NO_MEM. */
int mpj_comm_begin_persistent(struct mpj_comm *comm, struct mpj_comm *user);
/* Free what a communicator's operations have left; then what says who is in it. */
void mpj_comm_clear(struct mpj_comm *comm);
void mpj_comm_end(struct mpj_comm *comm);

#endif
