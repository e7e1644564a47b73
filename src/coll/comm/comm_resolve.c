/* This file resolves handles of communicators. */
#include "base/entry.h"
#include "base/status.h"
#include "coll/comm/context.h"
#include "net/am/requests.h"

static int no_context(const struct mpj_context *context)
{
  const char *forked = mpj_context_forked();
  if (!context && forked) return mpj_error(MPJ_ERR_COMM, "comm cannot be used: %s", forked);
  if (context) return mpj_error(MPJ_ERR_COMM, "comm cannot be used: MPJ_Finalize has been called");
  return mpj_error(MPJ_ERR_COMM, "comm cannot be used: this thread is no rank and MPJ_Init has not "
                                 "been called");
}

/* The error of a handle that is no communicator's. */
static int unresolved(const struct mpj_context *context, MPJ_Comm handle)
{
  const bool live = context && context->state == MPJ_CONTEXT_LIVE;
  const uintptr_t id = (uintptr_t)handle;
  if (handle == MPJ_COMM_NULL) return mpj_error(MPJ_ERR_COMM, "comm is MPJ_COMM_NULL");
  if (handle == MPJ_COMM_WORLD || handle == MPJ_COMM_SELF || (!context && mpj_context_forked()))
    return no_context(context);
  if (live && id <= UINT32_MAX && mpj_comm_was_left(context, (uint32_t)id))
    return mpj_error(MPJ_ERR_COMM, "comm %p has been freed, or is another rank's", (void *)handle);
  return mpj_error(MPJ_ERR_COMM, "comm %p is no communicator", (void *)handle);
}

int mpj_comm_resolve_any(MPJ_Comm handle, struct mpj_comm **comm)
{
  struct mpj_context *context = mpj_context_current();
  const uintptr_t id = (uintptr_t)handle;
  if (!context || context->state != MPJ_CONTEXT_LIVE) return unresolved(context, handle);
  struct mpj_comm *found = id <= UINT32_MAX ? mpj_context_comm(context, (uint32_t)id) : NULL;
  if (id == MPJ_SELF_ID && mpj_context_self(context, &found) != MPJ_SUCCESS) return MPJ_ERR_NO_MEM;
  if (!found || found->freed || found->user) return unresolved(context, handle);
  mpj_entered.rank = found->rank;
  *comm = found;
  return MPJ_SUCCESS;
}

int mpj_comm_check(const struct mpj_comm *comm)
{
  if (comm->broken.code == 0) return MPJ_SUCCESS;
  if (comm->broken.culprit < 0)
    return mpj_error(comm->broken.code, "%s", mpj_error_stored(comm->broken_why));
  return mpj_error(comm->broken.code, "comm has been broken: %s",
                   mpj_error_stored(comm->broken_why));
}

int mpj_comm_resolve_outside(MPJ_Comm handle, struct mpj_comm **comm)
{
  const int status = mpj_comm_resolve_any(handle, comm);
  if (status != MPJ_SUCCESS) return status;
  if ((*comm)->context->am && (*comm)->context->am->in_handler)
    return mpj_error(MPJ_ERR_COMM, "comm cannot be used in a handler of active messages");
  return MPJ_SUCCESS;
}

int mpj_comm_resolve(MPJ_Comm handle, struct mpj_comm **comm)
{
  const int status = mpj_comm_resolve_outside(handle, comm);
  return status == MPJ_SUCCESS ? mpj_comm_reported(*comm, mpj_comm_check(*comm)) : status;
}
