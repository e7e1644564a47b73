/* This header declares how a step of a plan is run. */
#ifndef MPJ_SRC_COLL_STEPS_STEP_RUN_H
#define MPJ_SRC_COLL_STEPS_STEP_RUN_H

#include "coll/steps/steps.h"

/* steps.c: run step i, whose dependencies are complete. */
MPJ_HOT int mpj_step_run(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i);

#endif
