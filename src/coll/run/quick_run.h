/* This header declares a quick operation that is running: in one call, or from the start of a
 * request to its end (request.h). */
#ifndef MPJ_SRC_COLL_RUN_QUICK_RUN_H
#define MPJ_SRC_COLL_RUN_QUICK_RUN_H

#include "coll/run/quick.h"

struct mpj_quick_run {
  struct mpj_comm *comm;
  struct mpj_schedule *schedule;
  const struct mpj_quick *quick;
  const struct mpj_call *call;
  struct mpj_slot *slot; /* of the operation; not active */
  uint64_t sequence;
  unsigned done;  /* steps, in quick's order */
  unsigned turns; /* that a step may wait for */
  unsigned looks; /* at a window, in this wait */
  struct mpj_resumed rest;
};

/* The next operation, if it can be a quick one now: else false, and nothing has been done. The
 * schedule's binding is for this call, which stays where it is. */
MPJ_HOT bool mpj_quick_begin(struct mpj_quick_run *r, struct mpj_comm *comm,
                             struct mpj_schedule *schedule, const struct mpj_call *call);
/* Do what can be done without waiting, or wait as well, for a moment. True: the operation has
 * ended; else the engine may take over at any time, and must if `wait`. */
MPJ_HOT bool mpj_quick_go_on(struct mpj_quick_run *r, bool wait);
/* Let the engine have what is left. */
struct mpj_slot *mpj_quick_hand_over(struct mpj_quick_run *r);

/* Do a step, and wait for what it needs; false: the engine has to, nothing of it has been done. */
MPJ_HOT bool mpj_quick_step(struct mpj_quick_run *r, const struct mpj_quick_step *step);

/* Whether something has happened that is the engine's affair. */
static inline bool mpj_quick_is_unusual(const struct mpj_quick_run *r)
{
  return r->slot->poison.code != 0 || r->comm->broken.code != 0 ||
         mpj_net_changes(r->comm->net) != 0;
}

#endif
