/* This file makes and ends contexts, and finds the calling thread's. */
#include "coll/context.h"

#include "base/memory.h"
#include "base/status.h"
#include "coll/controls.h"
#include "coll/request.h"

static _Thread_local struct mpj_context *thread_context;
static struct mpj_context *_Atomic process_context;

int mpj_context_create(struct mpj_net *net, struct mpj_context **context)
{
  struct mpj_context *c = mpj_alloc_array(1, sizeof *c);
  if (!c) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a rank's context");
  const int rank = net ? net->rank : 0, size = net ? net->size : 1;
  int status = mpj_comm_begin(&c->world, c, MPJ_WORLD_ID, 0, rank, size, NULL, net);
  if (status != MPJ_SUCCESS) goto free_context;
  status = mpj_comm_begin(&c->self, c, MPJ_SELF_ID, 0, 0, 1, &rank, net);
  if (status != MPJ_SUCCESS) goto end_world;
  c->net = net;
  mpj_controls_take(&c->world);
  mpj_controls_take(&c->self);
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
  for (unsigned i = 0; i < MPJ_CONTROLS; i++)
    if (context->comms[i]) context->comms[i]->freed = false; /* none is left from here on */
  for (unsigned i = 0; i < MPJ_CONTROLS; i++)
    if (context->comms[i]) mpj_requests_abandon(context->comms[i]);
  context->state = MPJ_CONTEXT_FINALIZED;
  mpj_controls_end(context);
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

bool mpj_comm_was_left(const struct mpj_context *context, uint32_t id)
{
  const uint64_t serials = UINT64_C(1) << (32 - MPJ_CONTROL_BITS);
  const uint64_t ago = (context->serial - (id >> MPJ_CONTROL_BITS)) % serials;
  return ago < serials / 2 && ago < context->serial && id % MPJ_CONTROLS > MPJ_SELF_ID;
}

uint64_t mpj_context_open(const struct mpj_context *context)
{
  uint64_t open = 0;
  for (unsigned i = 0; i < MPJ_CONTROLS; i++)
    if (context->comms[i]) open += mpj_comm_open(context->comms[i]);
  return open;
}
