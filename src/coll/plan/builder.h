/* This header declares a schedule that is being built. */
#ifndef MPJ_SRC_COLL_PLAN_BUILDER_H
#define MPJ_SRC_COLL_PLAN_BUILDER_H

#include "coll/plan/schedule.h"

/* Step `after` waits for step `before`. */
struct edge {
  uint32_t before, after;
};

/* A step with what the schedule keeps apart. */
struct laid {
  struct mpj_step step;
  uint32_t waits, nnext;
};

/* What an algorithm uses meanwhile. */
struct room {
  struct room *next;
  _Alignas(16) unsigned char bytes[];
};

struct mpj_schedule_builder {
  struct mpj_schedule *schedule;
  int status;
  struct laid *laid;           /* [schedule->nsteps] */
  struct edge *edge;           /* [edges] */
  struct mpj_operand *operand; /* [schedule->noperands] */
  uint32_t *temporary;         /* [schedule->ntemporaries] */
  size_t steps_room, edges, edges_room, operands_room, temporaries_room;
  struct room *rooms; /* the last first */
};

#endif
