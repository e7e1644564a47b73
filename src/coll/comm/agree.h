/* This header declares how the ranks of a communicator agree that all is well. */
#ifndef MPJ_SRC_COLL_COMM_AGREE_H
#define MPJ_SRC_COLL_COMM_AGREE_H

#include "coll/comm/comm.h"

/* As a part of this function: give this rank's status, whose sentence is the thread's detail, and
 * hear of the others': MPJ_SUCCESS if all are well; else this rank's own status, or, where it has
 * none, the code of the worst with a detail that names the rank. All ranks call it together.
 * Errors: as MPJ_Allreduce. Cost: an Allreduce of 8 bytes. */
int mpj_agree(struct mpj_comm *comm, enum mpj_part_of part_of, int status);

/* *highest := the highest of all ranks' numbers, as a part of this function. Errors: as
 * MPJ_Allreduce. */
int mpj_agree_on_highest(struct mpj_comm *comm, enum mpj_part_of part_of, int64_t mine,
                         int64_t *highest);
/* The same of n numbers; mine may be MPJ_IN_PLACE. A rank that has failed with `status`, whose
 * sentence is the thread's detail, hears nothing: its call fails so, and all others' as its.
 * Errors: also MPJ_ERR_NO_MEM. */
int mpj_agree_on_highest_each(struct mpj_comm *comm, enum mpj_part_of part_of, int status, int n,
                              const int64_t mine[], int64_t highest[]);

#endif
