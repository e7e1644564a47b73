/* This header declares whether what came is what was expected, and the errors where it is not. */
#ifndef MPJ_SRC_COLL_FAILURE_MISMATCH_H
#define MPJ_SRC_COLL_FAILURE_MISMATCH_H

#include "coll/plan/schedule.h"
#include "coll/run/control.h"

/* Whether an operand that describes `own` takes data of so many bytes with this digest: of the
 * same signature, or less of it where that is allowed (MPJ_SIGNATURES). */
bool mpj_step_takes(const struct mpj_slot *slot, const struct mpj_signature *own, MPJ_Count bytes,
                    uint64_t digest);
/* The error of step i, whose signature `own` is not that of what `source` sent. bound: its
 * operand, or zero. */
struct mpj_bound;
int mpj_step_mismatch(const struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i, int source,
                      MPJ_Count bytes, uint64_t digest, const struct mpj_bound *bound,
                      const struct mpj_signature *own);
/* The same where part `source` of the receive type is empty; and where part i's data is wanted and
 * its sender has none. */
int mpj_step_unwanted(const struct mpj_comm *comm, const struct mpj_slot *slot, int source,
                      MPJ_Count bytes, uint64_t digest);
int mpj_step_unsent(const struct mpj_comm *comm, struct mpj_slot *slot, uint16_t i, int source);
/* The same of a copy between two buffers of this rank. */
int mpj_step_copy_mismatch(const struct mpj_comm *comm, const struct mpj_slot *slot,
                           struct mpj_operand from, const struct mpj_view *src,
                           struct mpj_operand to, const struct mpj_view *dst);
/* Whether it is found out what `source`, which runs another algorithm, has sent of the slot's
 * operation: then that is the thread's detail. */
bool mpj_step_other_data(const struct mpj_comm *comm, const struct mpj_slot *slot, int source,
                         const struct mpj_arrival_message *message);

#endif
