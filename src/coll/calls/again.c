/* This file recognises calls that were made before. */
#include "coll/calls/again.h"

#include "coll/calls/collective_call.h"
#include "coll/calls/remembered.h"
#include "coll/comm/context.h"
#include "coll/plan/plan.h"
#include "coll/plan/plans.h"
#include "coll/rpc/am.h"
#include "coll/run/engine.h"
#include "types/basic.h"

/* KEEP_EVERY: calls with types that have no tag yet, until they get one. */
enum { KEEP_EVERY = 64 };

/* The communicator, if nothing has to be said about it. */
static struct mpj_comm *comm_of(const struct mpj_arguments *a)
{
  struct mpj_context *context = mpj_context_current();
  const uintptr_t id = (uintptr_t)a->comm;
  if (!context || context->state != MPJ_CONTEXT_LIVE || context->gate.closed || id > UINT32_MAX)
    return NULL;
  if (context->am && context->am->in_handler) return NULL;
  struct mpj_comm *comm = mpj_context_comm(context, (uint32_t)id);
  return comm && !comm->freed && !comm->user && comm->broken.code == 0 ? comm : NULL;
}

/* The memory of a type that is known was a type's, and may be looked at. */
static inline bool is_type(MPJ_Datatype handle, MPJ_Datatype known, uint32_t tag)
{
  return handle == known && (tag == 0 || mpj_type_has_tag(handle, tag));
}

static MPJ_HOT bool is_same(const struct mpj_before *b, const struct mpj_arguments *a)
{
  return b->known && a->op == b->op &&
         (!b->significant[0] || (a->recvbuf && is_type(a->recvtype, b->handles[0], b->tags[0]))) &&
         (!b->significant[1] || (a->sendbuf && is_type(a->sendtype, b->handles[1], b->tags[1]))) &&
         a->sendbuf != MPJ_IN_PLACE && a->recvbuf != MPJ_IN_PLACE &&
         ((uintptr_t)a->sendbuf - (uintptr_t)a->recvbuf != b->apart || !a->recvbuf);
}

/* Whether the communicator's next operation can begin at once. */
static bool has_room(const struct mpj_comm *comm)
{
  return !comm->queued && !comm->checker && comm->started < comm->completed + mpj_comm_slots(comm);
}

bool mpj_again(const struct mpj_arguments *a, int *status)
{
  struct mpj_comm *comm = comm_of(a);
  if (!comm || !has_room(comm)) return false;
  struct mpj_remembered *r = mpj_schedule_remembered(comm, a->operation, a->root);
  struct mpj_slot *slot;
  if (!r || r->choice.agreed.operation != a->operation ||
      (r->choice.root != a->root && r->choice.root != MPJ_SPARSE_ALLTOALL) ||
      !is_same(&r->before, a))
    return false;
  struct mpj_call call = r->before.call; /* a copy: what begins meanwhile may take r's place */
  call.sendbuf = (void *)(uintptr_t)a->sendbuf;
  call.recvbuf = a->recvbuf;
  call.part_of = mpj_arguments_part_of(a);
  r->schedule->last_used = ++comm->schedules->clock;
  if (mpj_engine_start(comm, r->schedule, &call, &slot) != MPJ_SUCCESS) return false;
  *status = mpj_engine_complete(comm, slot);
  return true;
}

static void keep_type(struct mpj_before *b, int k, MPJ_Datatype handle, const struct mpj_type *type)
{
  b->significant[k] = type != NULL;
  b->handles[k] = handle;
  b->tags[k] = 0;
  if (!type || mpj_basic_of_handle(handle) >= 0) return;
  b->tags[k] = mpj_type_tag((struct mpj_type *)(uintptr_t)type);
  if (b->tags[k] == 0) b->known = false;
}

/* Types that come and go have no tags, and give what is kept of them no second call. */
static bool stays(MPJ_Datatype handle, const struct mpj_type *type)
{
  return !type || mpj_basic_of_handle(handle) >= 0 || mpj_type_tag_known(type) != 0;
}

/* Of operations of users only the handle would be known. */
static void keep(const struct mpj_arguments *a, const struct mpj_prepared *p)
{
  const struct mpj_call *call = &p->call;
  if (p->comm->context->gate.closed || call->op || call->combine) return;
  if (a->sendbuf == MPJ_IN_PLACE || a->recvbuf == MPJ_IN_PLACE) return;
  struct mpj_remembered *r =
      mpj_schedule_remembered(p->comm, p->choice.agreed.operation, p->choice.root);
  if (!r || is_same(&r->before, a) || !mpj_choice_equal(&r->choice, &p->choice)) return;
  const bool stay = stays(a->recvtype, call->recvtype) && stays(a->sendtype, call->sendtype);
  if (!stay && r->untagged++ % KEEP_EVERY != KEEP_EVERY - 1) return;
  r->before = (struct mpj_before){.known = true, .op = a->op, .call = *call};
  if (r->schedule->nsteps > 0 &&
      mpj_plan_for(p->comm, r->schedule, call, &r->before.call.plan) != MPJ_SUCCESS)
    r->before.known = false;
  keep_type(&r->before, 0, a->recvtype, call->recvtype);
  keep_type(&r->before, 1, a->sendtype, call->sendtype);
  if (call->sendtype && call->recvtype)
    r->before.apart = (uintptr_t)(call->recvtype->map.displ - call->sendtype->map.displ);
}

int mpj_call_blocking(const struct mpj_arguments *a)
{
  struct mpj_prepared p;
  int status;
  if (mpj_again(a, &status)) return status;
  status = mpj_prepare(a, &p);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_collective(&p);
  if (status == MPJ_SUCCESS) keep(a, &p);
  return status;
}
