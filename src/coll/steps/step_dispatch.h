/* This header declares how a step of a plan is run. */
#ifndef MPJ_SRC_COLL_STEPS_STEP_DISPATCH_H
#define MPJ_SRC_COLL_STEPS_STEP_DISPATCH_H

#include "coll/steps/steps.h"

/* Run step i, whose dependencies are complete. */
MPJ_HOT int mpj_step_run(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i);

#endif
