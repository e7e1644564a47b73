/* This header declares bundles: pieces of data of any sizes, each with its tag, size and signature,
 * one after another in memory that goes as one message. So a rank of a tree can pass on what other
 * ranks will receive, whose sizes it does not know. */
#ifndef MPJ_SRC_COLL_STEPS_BUNDLE_H
#define MPJ_SRC_COLL_STEPS_BUNDLE_H

#include "coll/plan/binding.h"

/* What a bundle holds, as bytes; to be sent. */
int mpj_bind_bundle(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_operand bundle,
                    struct mpj_bound *bound, struct mpj_signature *signature);
/* Room for the `bytes` bytes of a bundle that arrives. */
int mpj_bundle_expect(struct mpj_comm *comm, struct mpj_slot *slot, struct mpj_operand bundle,
                      MPJ_Count bytes, struct mpj_bound *bound, struct mpj_signature *signature);
/* Whether the bundle is here with all that should be in it. */
bool mpj_bundle_is_whole(const struct mpj_slot *slot, struct mpj_operand bundle);
/* Run a copy from or to a bundle. One of what has not come does nothing but let the
 * bundle that it goes to lack it: what else is in bundles reaches its place. */
int mpj_bundle_copy(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_step *step);

#endif
