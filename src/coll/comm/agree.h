/* This header declares how the ranks of a communicator agree that all is well. */
#ifndef MPJ_SRC_COLL_COMM_AGREE_H
#define MPJ_SRC_COLL_COMM_AGREE_H

#include "coll/comm/comm.h"

/* Give this rank's status, whose sentence is the thread's detail, and hear of the
 * others': MPJ_SUCCESS if all are well; else this rank's own status, or, where it
 * has none, the code of the worst with a detail that names the rank. All ranks call
 * it together. Errors: as MPJ_Allreduce.
 * Cost: an Allreduce of 8 bytes. */
int mpj_agree(struct mpj_comm *comm, int status);

#endif
