/* This header declares bundles: pieces of data of any sizes, each with its tag, size and signature,
 * one after another in memory that goes as one message. So a rank of a tree can pass on what other
 * ranks will receive, whose sizes it does not know. */
#ifndef MPJ_SRC_COLL_STEPS_BUNDLE_H
#define MPJ_SRC_COLL_STEPS_BUNDLE_H

#include "coll/plan/bind.h"

/* For one run, let a copy of a plan's step give what its bundle holds, as bytes. */
int mpj_bundle_give(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_plan_step *step);
/* The same with room for the `bytes` bytes of a bundle that arrives. */
int mpj_bundle_expect(struct mpj_comm *comm, struct mpj_slot *slot, MPJ_Count bytes,
                      struct mpj_plan_step *step);
/* Whether the bundle is here with all that should be in it. */
bool mpj_bundle_is_whole(const struct mpj_slot *slot, const struct mpj_end *bundle);
/* Run a copy from or to a bundle. One of what has not come does nothing but let the
 * bundle that it goes to lack it: what else is in bundles reaches its place. */
int mpj_bundle_copy(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i);

#endif
