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
#include "coll/comm/context.h"
#include "coll/plan/known.h"
#include "coll/rpc/am.h"

/* Find the plan of a call, choosing and binding where there is none: call->schedule, plan and
 * dropped are set. Errors: MPJ_ERR_NO_MEM, MPJ_ERR_UNSUPPORTED, MPJ_ERR_INTERNAL. */
int mpj_known_find(struct mpj_comm *comm, const struct mpj_choice *choice, struct mpj_call *call);

/* Whether a call's plan is still there. */
static inline bool mpj_known_is_bound(const struct mpj_comm *comm, const struct mpj_call *call)
{
  return call->schedule && call->dropped == comm->schedules->dropped;
}

/* Alltoalls of all kinds share one list, as who knows the arguments does not look at the types. */
static inline struct mpj_known **mpj_known_list(struct mpj_schedules *all,
                                                enum mpj_operation operation, int root)
{
  if (root == MPJ_SPARSE_ALLTOALL) root = MPJ_PART_OF_NONE;
  return &all->known[((unsigned)operation + 5 * (unsigned)root) % MPJ_KNOWN_LISTS];
}

/* The memory of a type that is known was a type's, and may be looked at. */
static inline bool mpj_known_type(MPJ_Datatype handle, MPJ_Datatype known, uint32_t tag)
{
  return handle == known && (tag == 0 || mpj_type_has_tag(handle, tag));
}

static inline bool mpj_known_same(const struct mpj_known *k, const struct mpj_arguments *a)
{
  return k->by_arguments && k->operation == a->operation && a->op == k->op &&
         (k->root == a->root || k->root == MPJ_SPARSE_ALLTOALL) &&
         (!k->significant[0] ||
          (a->recvbuf && mpj_known_type(a->recvtype, k->handles[0], k->tags[0]))) &&
         (!k->significant[1] ||
          (a->sendbuf && mpj_known_type(a->sendtype, k->handles[1], k->tags[1]))) &&
         a->sendbuf != MPJ_IN_PLACE && a->recvbuf != MPJ_IN_PLACE &&
         ((uintptr_t)a->sendbuf - (uintptr_t)a->recvbuf != k->apart || !a->recvbuf);
}

static inline void mpj_known_to_front(struct mpj_known **list, struct mpj_known **link)
{
  struct mpj_known *k = *link;
  *link = k->next;
  k->next = *list;
  *list = k;
}

/* Fill in a call whose arguments are known, its communicator being set; false: they are not, and
 * *p is as it was. */
static inline bool mpj_known_by_arguments(const struct mpj_arguments *a, struct mpj_prepared *p)
{
  struct mpj_known **list = mpj_known_list(p->comm->schedules, a->operation, a->root),
                   **link = list;
  while (*link && !(mpj_known_same(*link, a) && mpj_known_is_bound(p->comm, &(*link)->call)))
    link = &(*link)->next;
  struct mpj_known *k = *link;
  if (!k || a->refused != MPJ_SUCCESS) return false;
  if (link != list) mpj_known_to_front(list, link);
  p->choice = &k->choice;
  p->call = k->call;
  p->call.sendbuf = (void *)(uintptr_t)a->sendbuf;
  p->call.recvbuf = a->recvbuf;
  p->call.part_of = mpj_arguments_part_of(a);
  p->status = MPJ_SUCCESS;
  return true;
}

/* Prepare a call whose arguments are not known: check them, and know them from now on. */
MPJ_ASIDE int mpj_prepare_unknown(const struct mpj_arguments *a, struct mpj_prepared *p);

/* The communicator, if nothing has to be said about it. */
static inline struct mpj_comm *mpj_known_comm(struct mpj_context *context, MPJ_Comm handle)
{
  const uintptr_t id = (uintptr_t)handle;
  if (!context || context->state != MPJ_CONTEXT_LIVE || id > UINT32_MAX) return NULL;
  if (context->am && context->am->in_handler) return NULL;
  struct mpj_comm *comm = mpj_context_comm(context, (uint32_t)id);
  return comm && !comm->freed && !comm->user && comm->broken.code == 0 ? comm : NULL;
}

/* Prepare a call: resolve the communicator; find the call among those that are known, or check the
 * arguments. The calling thread holds its rank, `context` (or NULL). An error (MPJ_ERR_COMM, or why
 * the communicator is broken) ends the call at once. */
static inline int mpj_prepare(struct mpj_context *context, const struct mpj_arguments *a,
                              struct mpj_prepared *p)
{
  p->comm = mpj_known_comm(context, a->comm);
  if (!p->comm || !mpj_known_by_arguments(a, p)) return mpj_prepare_unknown(a, p);
  mpj_entered.rank = p->comm->rank;
  return MPJ_SUCCESS;
}

#endif
