/* This header declares the plans of a communicator: how one is found or made, and when they are
 * freed. */
#ifndef MPJ_SRC_COLL_PLAN_PLANS_H
#define MPJ_SRC_COLL_PLAN_PLANS_H

#include "coll/plan/plan.h"

/* The schedule's plan for the types of this call, made if there is none; borrowed until another one
 * is asked for, unless it has users. Errors: MPJ_ERR_NO_MEM. */
MPJ_HOT int mpj_plan_for(struct mpj_comm *comm, struct mpj_schedule *schedule,
                         const struct mpj_call *call, struct mpj_plan **plan);
/* Whether a plan is for the types and the operation of this call, which has the same schedule. */
MPJ_HOT bool mpj_plan_is_for(const struct mpj_plan *plan, const struct mpj_call *call);
/* Free all plans of a schedule, none of which has users; whether one has. */
void mpj_plans_free(struct mpj_plan *plans);
bool mpj_plans_in_use(const struct mpj_plan *plans);

#endif
