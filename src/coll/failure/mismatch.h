/* This header declares the errors where what came is not what was expected. */
#ifndef MPJ_SRC_COLL_FAILURE_MISMATCH_H
#define MPJ_SRC_COLL_FAILURE_MISMATCH_H

#include "coll/plan/schedule.h"
#include "coll/run/control.h"

/* The error of step i, whose signature is not that of what `source` sent. */
int mpj_step_mismatch(const struct mpj_comm *comm, struct mpj_slot *slot, unsigned i, int source,
                      MPJ_Count bytes, uint64_t digest);
/* The same where part `source` of the receive type is empty; and where part i's data is wanted and
 * its sender has none. */
int mpj_step_unwanted(const struct mpj_comm *comm, const struct mpj_slot *slot, int source,
                      MPJ_Count bytes, uint64_t digest);
int mpj_step_unsent(const struct mpj_comm *comm, struct mpj_slot *slot, unsigned i, int source);
/* The same of a copy between two buffers of this rank. */
MPJ_ASIDE int mpj_step_copy_mismatch(const struct mpj_comm *comm, struct mpj_slot *slot,
                                     unsigned i);
/* Whether it is found out what `source`, which runs another algorithm, has sent of the slot's
 * operation: then that is the thread's detail. */
bool mpj_step_other_data(const struct mpj_comm *comm, const struct mpj_slot *slot, int source,
                         const struct mpj_arrival_message *message);

#endif
