/* This header declares how the ranks of a communicator tell each other what they are by, when they
 * make communicators: in memory that does not grow with their number, but for the members of their
 * own group. */
#ifndef MPJ_SRC_COLL_GROUPS_RECORDS_H
#define MPJ_SRC_COLL_GROUPS_RECORDS_H

#include "coll/comm/comm_exchange.h"
#include "coll/groups/group.h"

enum { MPJ_RECORDS_NUMBERS = 8 };

/* head[nhead], at most MPJ_RECORDS_NUMBERS, := the highest of all ranks' numbers, and the records
 * of the next ranks from *next on, a block of them, are heard by `group`, whose `mine` is this
 * rank's. *next is raised by as many; at the number of the exchange's ranks there are numbers only.
 * Together; of ranks of a parent. Errors, after which this rank has taken part all the same, and
 * head is unspecified: MPJ_ERR_NO_MEM; another rank's; as MPJ_Allreduce. */
int mpj_records_exchange(const struct mpj_comm_exchange *exchange, int nhead, int64_t head[],
                         int *next, struct mpj_group *group);

#endif
