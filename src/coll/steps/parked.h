/* This header declares parked data: what waits in memory of the library for a rank that is late,
 * or whose buffer nothing can be put into, while its sender has left the operation. It is what an
 * early-arrival slot is to longer data. */
#ifndef MPJ_SRC_COLL_STEPS_PARKED_H
#define MPJ_SRC_COLL_STEPS_PARKED_H

#include "coll/plan/plan.h"

/* Copy what a step sends, and advertise the copy to the peer. MPJ_SUCCESS: the buffer is the
 * caller's again. Errors: MPJ_AM_AGAIN, MPJ_ERR_NO_MEM. */
int mpj_park(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_plan_step *step);
/* The endpoint is closed: nobody takes any of it any more. */
void mpj_parked_end(struct mpj_context *context);

#endif
