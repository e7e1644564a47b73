/* This header declares a quick operation that is running, for the two files that run it. */
#ifndef MPJ_SRC_COLL_QUICK_RUN_H
#define MPJ_SRC_COLL_QUICK_RUN_H

#include "coll/quick.h"

struct mpj_quick_run {
  struct mpj_comm *comm;
  struct mpj_schedule *schedule;
  const struct mpj_quick *quick;
  const struct mpj_call *call;
  struct mpj_slot *slot; /* of the operation; not active */
  uint64_t sequence;
  unsigned done;  /* steps, in quick's order */
  unsigned looks; /* at a window, in this wait */
  struct mpj_resumed rest;
};

/* Do a step, and wait for what it needs; false: the engine has to, nothing of it has been done. */
MPJ_HOT bool mpj_quick_step(struct mpj_quick_run *r, const struct mpj_quick_step *step);

/* Whether something has happened that is the engine's affair. */
static inline bool mpj_quick_is_unusual(const struct mpj_quick_run *r)
{
  return r->slot->poison_code != 0 || r->comm->broken_code != 0 ||
         mpj_net_changes(r->comm->net) != 0;
}

#endif
