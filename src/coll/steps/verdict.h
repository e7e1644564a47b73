/* This header declares verdicts: whether data may be put, on which the ranks of a neighbourhood
 * agree (spec/neighbourhoods.md).
 *
 *   state of an edge's verdict  event                                       next
 *   OPEN                        the receiver's answer comes                 FOR or AGAINST
 *   OPEN                        all else is done for neighbourhood_us       AGAINST
 *   FOR, AGAINST                an answer that comes now is late: dropped   the same */
#ifndef MPJ_SRC_COLL_STEPS_VERDICT_H
#define MPJ_SRC_COLL_STEPS_VERDICT_H

#include "coll/run/control.h"

/* What the verdict in this temporary is; one that has not come is against. */
bool mpj_verdict(const struct mpj_slot *slot, unsigned number);

MPJ_ASIDE int mpj_step_run_judge(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i);

/* Of an operation that gives up. Note whether all that it waits for are verdicts, and let the
 * context's wake_ns tell until when; then, give up those that have not come. */
void mpj_verdicts_watch(struct mpj_comm *comm, struct mpj_slot *slot);
void mpj_verdicts_give_up(struct mpj_slot *slot);
/* Let what is ready be run as it was laid down, in whatever order the verdicts have come. */
void mpj_verdicts_order(struct mpj_slot *slot);

/* Whether a message may be a verdict, or a byte of data. */
bool mpj_is_verdict(const struct mpj_arrival_message *m);
/* Whether what has come for an operation that has ended, or no longer waits for it, is the verdict
 * of a rank that was late. */
bool mpj_verdict_is_late(const struct mpj_arrival_message *m);

#endif
