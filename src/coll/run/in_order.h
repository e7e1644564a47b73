/* This header declares how an operation runs while it is in order.
 *
 * A plan (plan.h) lists a schedule's steps so that none that waits comes before one that could run.
 * While an operation is in order its steps run in that order, each when those before it are
 * complete; what arrives meanwhile for a later step is kept with the slot's early arrivals. Most
 * operations of short data need no more. At most one operation of a rank is in order, and then no
 * other of it is under way.
 *
 *   state      event                                            next
 *   (none)     a start, the plan being bound to the call's types, nothing else under way, and no
 *              news of failures                                 IN ORDER
 *   (none)     any other start                                  SPREAD
 *   IN ORDER   the last step ends, and nobody sent more         it has ended
 *   IN ORDER   no room; a wait of some length; what does not fit; news of ranks or of a failure;
 *              another call than a test of it or its wait       SPREAD
 *
 * SPREAD: each step waits for its own dependencies, and other operations may be under way. */
#ifndef MPJ_SRC_COLL_RUN_IN_ORDER_H
#define MPJ_SRC_COLL_RUN_IN_ORDER_H

#include "coll/comm/comm.h"
#include "coll/plan/plan.h"

/* What a wait for a step goes by. */
struct mpj_in_order {
  struct mpj_comm *comm;
  struct mpj_slot *slot;
  const struct mpj_plan *plan;
  unsigned turns; /* that a step may wait for */
  unsigned looks; /* at a window, in this wait */
};

/* What the calling thread waits for: the handler of messages compares, and has the data put. */
struct mpj_awaited {
  struct mpj_arrival_message message; /* its header */
  struct mpj_slot *slot;
  int source; /* in WORLD */
  bool here;
  const struct mpj_plan *plan;
  const struct mpj_plan_step *step;
  char *to;
};

/* Whether the next operation, by this schedule, can be in order. */
MPJ_HOT bool mpj_in_order_fits(struct mpj_comm *comm, const struct mpj_schedule *schedule,
                               const struct mpj_call *call);
/* Begin to run an active slot's operation, which fits, in order; false: there is no memory. */
MPJ_HOT bool mpj_in_order_begin(struct mpj_comm *comm, struct mpj_slot *slot);
/* Run steps of the operation that is in order. True: it has ended, and is to be finished. False:
 * `wait`: the steps were waited for in vain for a moment, and it is spread; else it may be in order
 * still. */
MPJ_HOT bool mpj_in_order_run(struct mpj_comm *comm, struct mpj_slot *slot, bool wait);

/* An operation that is in order is so no more: its steps wait each for its own dependencies. */
MPJ_ASIDE void mpj_engine_spread(struct mpj_comm *comm, struct mpj_slot *slot);

/* Whether the message is what the rank waits for; then it has been taken. */
MPJ_HOT bool mpj_in_order_take(struct mpj_context *context, const struct mpj_am_arrival *arrival);

/* in_order_steps.c: do a step, and wait for what it needs; false: nothing of it has been done. */
MPJ_HOT bool mpj_in_order_step(struct mpj_in_order *r, const struct mpj_plan_step *step);

/* Whether something has happened for which the operation has to be spread. */
static inline bool mpj_in_order_is_disturbed(const struct mpj_comm *comm,
                                             const struct mpj_slot *slot)
{
  return slot->abandoned || slot->look_again || slot->disagrees || comm->broken.code != 0 ||
         mpj_net_changes(comm->net) != 0;
}

#endif
