/* This header declares how the steps of a schedule are bound. */
#ifndef MPJ_SRC_COLL_PLAN_BIND_H
#define MPJ_SRC_COLL_PLAN_BIND_H

#include "coll/plan/binding.h"
#include "coll/plan/plan.h"

/* Fill in a plan's steps, views and temporaries. Errors: MPJ_ERR_NO_MEM. */
int mpj_plan_bind(const struct mpj_comm *comm, struct mpj_binder *binder, struct mpj_plan *plan);

/* What goes in the header of what a step sends or expects: so much data, of this digest, whose way
 * follows. */
void mpj_plan_head(const struct mpj_comm *comm, const struct mpj_schedule *schedule,
                   MPJ_Count bytes, uint64_t digest, struct mpj_plan_step *step);

#endif
