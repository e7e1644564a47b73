/* This header says what a schedule's operation is called. */
#ifndef MPJ_SRC_COLL_PLAN_NAMES_H
#define MPJ_SRC_COLL_PLAN_NAMES_H

#include "coll/plan/schedule.h"

/* The public function that has been called. */
static inline const char *mpj_schedule_name(const struct mpj_schedule *s)
{
  return mpj_call_name(s->operation, s->root);
}

#endif
