/* This header declares the table of the calls that a communicator knows, each with the plan that it
 * runs. Every call that begins, of whatever form, finds its plan here.
 *
 *   an entry is found by   what is compared                                     what that saves
 *   the arguments          operation, root, op, and the significant types, by   checks, choice,
 *                          handle and tag: a type that was freed is none        and binding
 *   what they describe     the choice, and the types' layouts (plan.h)          choice and binding
 *
 * What was right remains so, and is not checked again; but the buffers' addresses are new with each
 * call, and are compared with each other. */
#ifndef MPJ_SRC_COLL_CALLS_KNOWN_CALLS_H
#define MPJ_SRC_COLL_CALLS_KNOWN_CALLS_H

#include "coll/calls/collective.h"
#include "coll/plan/known.h"

/* Find the plan of a call, choosing and binding where there is none: call->schedule, plan and
 * dropped are set. Errors: MPJ_ERR_NO_MEM, MPJ_ERR_UNSUPPORTED, MPJ_ERR_INTERNAL. */
int mpj_known_find(struct mpj_comm *comm, const struct mpj_choice *choice, struct mpj_call *call);

/* Fill in a call whose arguments are known, its communicator being set; false: they are not, and
 * *p is as it was. */
MPJ_HOT bool mpj_known_by_arguments(const struct mpj_arguments *a, struct mpj_prepared *p);

/* Whether a call's plan is still there. */
static inline bool mpj_known_is_bound(const struct mpj_comm *comm, const struct mpj_call *call)
{
  return call->schedule && call->dropped == comm->schedules->dropped;
}

#endif
