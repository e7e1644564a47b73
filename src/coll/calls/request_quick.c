/* This file lets the operation of a request be a quick one. */
#include "coll/calls/again.h"
#include "coll/calls/request.h"
#include "coll/comm/context.h"
#include "coll/rpc/am.h"

/* Tests that find nothing new before the engine takes over. */
enum { TESTS_MOST = 512 };

static void end(struct mpj_request *r)
{
  r->state = MPJ_REQUEST_DONE;
  r->context->requests_ended++;
  r->was_quick = true;
}

bool mpj_request_begin_quickly(struct mpj_request *r)
{
  struct mpj_context *context = r->context;
  struct mpj_schedule *schedule;
  if (context->begun) mpj_request_hand_over(context); /* by the same call: several are started */
  if (r->comm->broken.code != 0 || r->comm->joining || (context->am && context->am->in_handler) ||
      mpj_schedule_for(r->comm, &r->choice, &schedule) != MPJ_SUCCESS || !schedule->quick ||
      !mpj_quick_is_for(schedule->quick, &r->call) ||
      !mpj_quick_begin(&context->run, r->comm, schedule, &r->call))
    return false;
  r->state = MPJ_REQUEST_QUICK;
  r->status = MPJ_SUCCESS;
  r->tests = 0;
  if (mpj_quick_go_on(&context->run, false))
    end(r);
  else
    context->begun = r;
  return true;
}

void mpj_request_hand_over(struct mpj_context *context)
{
  struct mpj_request *r = context->begun;
  context->begun = NULL;
  r->slot = mpj_quick_hand_over(&context->run);
  r->slot->request = r;
  r->state = MPJ_REQUEST_ACTIVE;
}

/* The request behind the handle, if it is a quick one of the calling rank, begun or ended. */
static MPJ_HOT struct mpj_request *quick_of(const struct mpj_context *context,
                                            const MPJ_Request *handle)
{
  if (!context || context->gate.closed || !handle || !*handle) return NULL;
  struct mpj_request *r = *handle;
  if (context->begun == r) return r;
  const bool ended = mpj_request_is_live(r) && r->context == context &&
                     r->state == MPJ_REQUEST_DONE && r->was_quick;
  return ended ? r : NULL;
}

/* Handlers that run meanwhile find nothing that could be handed over. */
static MPJ_HOT bool go_on(struct mpj_context *context, struct mpj_request *r, bool wait)
{
  context->begun = NULL;
  if (mpj_quick_go_on(&context->run, wait)) {
    end(r);
    return true;
  }
  context->begun = r;
  return false;
}

static bool poll(struct mpj_context *context)
{
  struct mpj_request *r = context->begun;
  context->begun = NULL;
  const bool moved = mpj_net_poll(context->net);
  context->begun = r;
  return moved;
}

bool mpj_request_wait_quickly(MPJ_Request *handle, int *status)
{
  struct mpj_context *context = mpj_context_current();
  struct mpj_request *r = quick_of(context, handle);
  if (!r || (r->state != MPJ_REQUEST_DONE && !go_on(context, r, true))) return false;
  *status = mpj_request_collect(handle);
  return true;
}

bool mpj_request_test_quickly(MPJ_Request *handle, int *done, int *status)
{
  struct mpj_context *context = mpj_context_current();
  struct mpj_request *r = quick_of(context, handle);
  if (!r || !done) return false;
  *done = r->state == MPJ_REQUEST_DONE || go_on(context, r, false) ||
          (poll(context) && go_on(context, r, false));
  *status = MPJ_SUCCESS;
  if (*done) *status = mpj_request_collect(handle);
  return *done || (++r->tests < TESTS_MOST && !mpj_quick_is_unusual(&context->run));
}
