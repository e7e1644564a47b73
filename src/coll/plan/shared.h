/* This header declares schedules that ranks share: of ranks that one thread runs, as on the
 * simulated machine, those whose schedules are equal have one, and its plans.
 *
 * A shared schedule names its peers by how many ranks further on they are, modulo the
 * communicator's size: so all ranks of a ring, and all leaves of a tree, have the same. */
#ifndef MPJ_SRC_COLL_PLAN_SHARED_H
#define MPJ_SRC_COLL_PLAN_SHARED_H

#include "coll/plan/schedule.h"

struct mpj_shared_schedules {
  struct mpj_schedule **chains; /* [room] owned, by hash; NULL until first used */
  size_t room, n;
};

/* A rank's new schedule (moved), as all ranks of the set have it: to be given back by
 * mpj_schedule_free. NULL: there is no memory, and it is still the caller's, unchanged. */
struct mpj_schedule *mpj_schedule_share(struct mpj_shared_schedules *set, struct mpj_schedule *s,
                                        int rank, int size);
/* Give back a schedule, with its plans, unless others share it. NULL: nothing. */
void mpj_schedule_free(struct mpj_schedule *schedule);
/* When all its schedules have been given back. */
void mpj_shared_schedules_end(struct mpj_shared_schedules *set);

#endif
