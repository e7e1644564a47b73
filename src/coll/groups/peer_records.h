/* This header declares how ranks that have an exchange of their own tell each other who they are.
 */
#ifndef MPJ_SRC_COLL_GROUPS_PEER_RECORDS_H
#define MPJ_SRC_COLL_GROUPS_PEER_RECORDS_H

#include "coll/comm/comm_exchange.h"
#include "coll/groups/group.h"

struct mpj_peer_record {
  uint64_t serial;
  int32_t status;            /* of its checks */
  int32_t world, world_size; /* the rank's number in WORLD, and how many there are */
  uint32_t control;          /* the window that it has chosen */
};

/* Whether records[n] are of ranks of one job, each once, and of those that were named: named[n] or
 * NULL. Errors: MPJ_ERR_ARG, MPJ_ERR_NO_MEM. */
int mpj_peer_records_check(int n, const struct mpj_peer_record records[], int world_size,
                           const int *named);

#endif
