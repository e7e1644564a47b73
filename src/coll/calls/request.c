/* This file keeps requests: it makes them, finds them by their handles, and frees them. */
#include "coll/calls/request.h"

#include "base/entry.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/status.h"
#include "coll/calls/collective.h"
#include "coll/comm/context_ids.h"
#include "coll/run/engine.h"
#include "coll/threads/hold.h"
#include "types/introspect/annex.h"

enum { REQUEST_MARK = 0x4d505271 };

static struct mpj_pool pool = MPJ_POOL_INITIALIZER(REQUEST_MARK, struct mpj_request);

size_t mpj_request_live(void)
{
  return mpj_pool_live(&pool);
}

bool mpj_request_is_live(MPJ_Request handle)
{
  return mpj_pool_is_live(&pool, handle);
}

/* Copy a type, sharing its layout and parts; returns the copy. What is known of the one by
 * its tag holds for the other. */
static const struct mpj_type *keep_type(const struct mpj_type *type, struct mpj_type *copy)
{
  if (!type) return NULL;
  *copy = (struct mpj_type){.basic = type->basic,
                            .tag = mpj_type_tag_known(type),
                            .marked = type->marked,
                            .alignment = type->alignment,
                            .map = {mpj_layout_retain(type->map.layout), type->map.displ},
                            .lb = type->lb,
                            .ub = type->ub,
                            .parts = mpj_parts_retain(type->parts),
                            .annex = type->annex ? mpj_annex_of_name(type) : NULL};
  return copy;
}

static void drop_type(const struct mpj_type *copy)
{
  if (!copy) return;
  mpj_free(copy->annex);
  mpj_layout_release(copy->map.layout);
  mpj_parts_release(copy->parts);
}

static void keep_call(struct mpj_request *r, const struct mpj_call *call)
{
  r->call = *call;
  r->call.sendtype = keep_type(call->sendtype, &r->sendtype);
  r->call.recvtype = keep_type(call->recvtype, &r->recvtype);
  if (!call->op) return;
  mpj_op_keep(call->op, &r->op);
  r->call.op = &r->op;
}

void mpj_request_drop(struct mpj_request *r)
{
  if (r->state == MPJ_REQUEST_DONE) r->context->requests_taken++;
  drop_type(r->call.sendtype);
  drop_type(r->call.recvtype);
  if (r->call.op) mpj_op_drop(&r->op);
  if (r->composition) r->composition->drop(r->ctx);
  if (r->context->state == MPJ_CONTEXT_LIVE) {
    if (r->comm != r->user) {
      r->comm->freed = true;
      mpj_context_ids_consider(r->comm);
    }
    r->user->requests--;
    mpj_context_ids_consider(r->user);
  }
  if (r->why) mpj_error_forget(&r->why);
  mpj_pool_give(&pool, r);
}

struct mpj_request *mpj_request_take(struct mpj_comm *comm)
{
  struct mpj_request *r = mpj_pool_take(&pool);
  if (!r) return NULL;
  r->context = comm->context;
  r->comm = r->user = comm;
  r->user->requests++;
  return r;
}

struct mpj_request *mpj_request_new(const struct mpj_prepared *p)
{
  struct mpj_request *r = mpj_request_take(p->comm);
  if (!r) return NULL;
  r->choice = *p->choice;
  keep_call(r, &p->call);
  return r;
}

int mpj_request_resolve(MPJ_Request handle, struct mpj_request **out)
{
  if (!mpj_pool_is_live(&pool, handle))
    return mpj_error(MPJ_ERR_REQUEST, "request %p %s", (void *)handle,
                     mpj_pool_has(&pool, handle) ? "has been freed" : "is no request");
  if (!mpj_context_current() && mpj_context_forked())
    return mpj_error(MPJ_ERR_REQUEST, "request cannot be used: %s", mpj_context_forked());
  if (handle->context != mpj_context_current())
    return mpj_error(MPJ_ERR_REQUEST, "request %p belongs to another rank", (void *)handle);
  *out = handle;
  return MPJ_SUCCESS;
}

int mpj_request_look(MPJ_Request handle, struct mpj_request **out)
{
  *out = NULL;
  if (handle == MPJ_REQUEST_NULL) return MPJ_SUCCESS;
  struct mpj_request *r = NULL;
  const int status = mpj_request_resolve(handle, &r);
  if (status != MPJ_SUCCESS) return status;
  r->context->requests_looked++;
  if (r->state != MPJ_REQUEST_INACTIVE) *out = r;
  return MPJ_SUCCESS;
}

int mpj_request_collect(MPJ_Request *handle)
{
  struct mpj_request *r = *handle;
  const int status = mpj_comm_reported(r->comm, mpj_comm_reported(r->user, r->status));
  char *why = r->why;
  r->why = NULL;
  r->state = MPJ_REQUEST_INACTIVE;
  r->context->requests_taken++;
  if (!r->persistent) {
    *handle = MPJ_REQUEST_NULL;
    mpj_request_drop(r); /* of a composed one this frees others, which may find errors of theirs */
  }
  if (status != MPJ_SUCCESS) mpj_error(status, "%s", mpj_error_stored(why));
  if (why) mpj_error_forget(&why);
  return status;
}

int MPJ_Request_free(MPJ_Request *request)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  struct mpj_request *r = NULL;
  if (!request) return mpj_error(MPJ_ERR_ARG, "request is NULL");
  if (*request == MPJ_REQUEST_NULL) return mpj_error(MPJ_ERR_REQUEST, "request is null");
  const int status = mpj_request_resolve(*request, &r);
  if (status != MPJ_SUCCESS) return status;
  *request = MPJ_REQUEST_NULL;
  if (r->state == MPJ_REQUEST_INACTIVE || r->state == MPJ_REQUEST_DONE) {
    mpj_request_drop(r);
  } else {
    r->freed = true;
    if (r->composition) held->given_up++;
  }
  if (held->state != MPJ_CONTEXT_LIVE) return MPJ_SUCCESS;
  mpj_engine_advance_all(held); /* which leaves a persistent request's communicator */
  if (held->closing_news) mpj_net_poll(held->net); /* no room: the others may free theirs, too */
  return MPJ_SUCCESS;
}
