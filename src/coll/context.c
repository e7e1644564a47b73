/* This file makes and ends contexts, and finds the calling thread's. */
#include "coll/context.h"

#include "base/memory.h"
#include "base/status.h"
#include "coll/request.h"

enum { WORLD_ID = 1, SELF_ID = 2, WORLD_CONTROL = 0, SELF_CONTROL = 1 };

static _Thread_local struct mpj_context *thread_context;
static struct mpj_context *_Atomic process_context;

int mpj_context_create(struct mpj_net *net, struct mpj_context **context)
{
  struct mpj_context *c = mpj_alloc_array(1, sizeof *c);
  if (!c) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a rank's context");
  const int rank = net ? net->rank : 0, size = net ? net->size : 1;
  int status = mpj_comm_begin(&c->world, c, WORLD_ID, WORLD_CONTROL, rank, size, net);
  if (status != MPJ_SUCCESS) goto free_context;
  status = mpj_comm_begin(&c->self, c, SELF_ID, SELF_CONTROL, 0, 1, NULL);
  if (status != MPJ_SUCCESS) goto end_world;
  c->net = net;
  if (net) mpj_net_register(net, MPJ_AM_COLLECTIVE, mpj_on_arrival, c);
  *context = c;
  return MPJ_SUCCESS;

end_world:
  mpj_comm_end(&c->world);
free_context:
  mpj_free(c);
  return status;
}

void mpj_context_finalize(struct mpj_context *context, enum mpj_rank_state state, int cause)
{
  if (context->state == MPJ_CONTEXT_FINALIZED) return;
  mpj_requests_abandon(&context->self);
  mpj_requests_abandon(&context->world);
  context->state = MPJ_CONTEXT_FINALIZED;
  mpj_comm_end(&context->self);
  mpj_comm_end(&context->world);
  if (context->net) mpj_net_close(context->net, state, cause);
  context->net = NULL;
}

void mpj_context_free(struct mpj_context *context)
{
  mpj_free(context);
}

struct mpj_context *mpj_context_current(void)
{
  return thread_context ? thread_context : atomic_load(&process_context);
}

void mpj_context_bind_thread(struct mpj_context *context)
{
  thread_context = context;
}

bool mpj_context_claim_process(struct mpj_context *context)
{
  struct mpj_context *none = NULL;
  return atomic_compare_exchange_strong(&process_context, &none, context);
}

struct mpj_comm *mpj_context_comm(struct mpj_context *context, uint32_t id)
{
  if (context->state != MPJ_CONTEXT_LIVE) return NULL;
  return id == WORLD_ID ? &context->world : NULL; /* nobody can send to SELF */
}
