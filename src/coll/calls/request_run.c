/* This file lets the operations of requests begin in their turn, and takes their outcomes. */
#include "coll/calls/request.h"

#include "base/status.h"
#include "coll/calls/collective_call.h"
#include "coll/calls/known_calls.h"
#include "coll/check/check.h"
#include "coll/comm/context.h"
#include "coll/comm/persistent.h"
#include "coll/failure/failure.h"
#include "coll/run/comm_records.h"
#include "coll/run/engine.h"
#include "coll/run/wait_turn.h"
#include "coll/threads/hold.h"

/* Operations begin in the order in which they were started. */
static void enqueue(struct mpj_request *r)
{
  struct mpj_comm *comm = r->comm;
  r->next = NULL;
  r->state = MPJ_REQUEST_QUEUED;
  r->compared = r->told = false;
  r->status = MPJ_SUCCESS;
  if (comm->queued)
    comm->queued_last->next = r;
  else
    comm->queued = r;
  comm->queued_last = r;
  if (!comm->joining) mpj_comm_is_busy(comm); /* else once it has joined */
}

static void go_on(struct mpj_request *r, int status);

/* End a request that has no slot. */
static void conclude(struct mpj_request *r, int status)
{
  r->state = MPJ_REQUEST_DONE;
  r->context->requests_ended++;
  r->status = status;
  r->slot = NULL;
  if (status != MPJ_SUCCESS) mpj_error_store(&r->why);
  if (r->joins) mpj_persistent_joined(r->joins, status);
  if (r->whole) { /* which may have been freed, and r with it */
    MPJ_Request operation = r;
    go_on(r->whole, mpj_request_collect(&operation));
    return;
  }
  if (!r->freed) return;
  if (r->composition) r->context->given_up--;
  if (r->persistent) r->persistent = false;
  mpj_request_drop(r);
}

/* The next operation of a composed request begins in its turn; or that was the last. */
static void go_on(struct mpj_request *r, int status)
{
  struct mpj_request *next = r->composition->next(r->ctx, &status);
  while (next && r->context->quiet) /* the rank leaves: none begins any more */
    next = r->composition->next(r->ctx, &status);
  if (!next) {
    conclude(r, status);
    return;
  }
  next->whole = r;
  r->next = next;
  enqueue(next);
  if (status == MPJ_SUCCESS) return;
  next->compared = true;
  next->status = status;
  mpj_error_store(&next->why);
}

/* The outcome of an operation that has no other since its check failed; what took its number has
 * ended with `status`. */
static int refused(const struct mpj_request *r, int status)
{
  if (r->told && r->status == MPJ_ERR_SIGNATURE) return mpj_check_explain(r->comm, status);
  return mpj_error(r->status, "%s", mpj_error_stored(r->why));
}

/* The exchange of calls has ended. */
static void compare(struct mpj_request *r, int status)
{
  r->state = MPJ_REQUEST_QUEUED;
  r->compared = true;
  r->told = status == MPJ_SUCCESS;
  r->status = r->told ? mpj_check_compare(r->comm) : status;
  if (r->status != MPJ_SUCCESS) mpj_error_store(&r->why);
}

void mpj_request_ended(void *request)
{
  struct mpj_request *r = request;
  const int status = mpj_engine_finish(r->comm, r->slot);
  if (r->state == MPJ_REQUEST_CHECKING)
    compare(r, status);
  else
    conclude(r, r->status == MPJ_SUCCESS ? status : refused(r, status));
}

/* Its operation is under way, in its slot. */
static void take_outcome(struct mpj_request *r, enum mpj_request_state state)
{
  r->slot->ended = mpj_request_ended;
  r->slot->owner = r;
  r->state = state;
}

static void begin_check(struct mpj_request *r)
{
  int status = mpj_comm_check(r->comm);
  r->compared = status != MPJ_SUCCESS; /* its start finds the communicator broken */
  if (r->compared) return;
  status = mpj_check_begin(r->comm, &r->choice, &r->call, r->joins, &r->slot);
  if (status != MPJ_SUCCESS) r->slot = mpj_engine_start_failed(r->comm, status);
  take_outcome(r, MPJ_REQUEST_CHECKING);
}

/* The ranks' calls did not fit, or could not be compared. */
static void start_refused(struct mpj_request *r)
{
  r->slot = mpj_check_pass_over(r->comm, r->status, r->told);
  if (!r->slot) {
    conclude(r, refused(r, MPJ_ERR_COMM));
    return;
  }
  take_outcome(r, MPJ_REQUEST_ACTIVE);
}

static void start_one(struct mpj_request *r)
{
  if (r->status != MPJ_SUCCESS) {
    start_refused(r);
    return;
  }
  int status = mpj_comm_check(r->comm);
  if (status != MPJ_SUCCESS) {
    conclude(r, status);
    return;
  }
  if (r->joins) status = mpj_persistent_exchange(r->joins, r->call.part_of, &r->slot);
  if (!r->joins || status != MPJ_SUCCESS)
    r->slot = mpj_call_start(r->comm, &r->choice, &r->call, status);
  take_outcome(r, MPJ_REQUEST_ACTIVE);
}

bool mpj_requests_start(struct mpj_comm *comm)
{
  bool any = false;
  while (comm->queued && !comm->joining && comm->queued->state == MPJ_REQUEST_QUEUED &&
         comm->started < comm->completed + mpj_comm_slots(comm)) {
    struct mpj_request *r = comm->queued;
    any = true;
    if (comm->checker && comm->checker->explains) break;
    if (comm->checker && !r->compared) {
      begin_check(r);
      continue;
    }
    comm->queued = r->next;
    start_one(r);
  }
  return any;
}

/* Begin its operation, now or in its turn. */
static void set_going(struct mpj_request *r)
{
  enqueue(r);
  mpj_requests_start(r->comm);
  if (r->state != MPJ_REQUEST_ACTIVE || r->slot->listed || mpj_engine_has_others(r->comm))
    mpj_engine_progress_some(r->context, false);
  else if (mpj_engine_walk(r->comm, r->slot, false))
    mpj_request_ended(r);
}

/* The same of a composed request. */
static void set_composed_going(struct mpj_request *r)
{
  r->state = MPJ_REQUEST_QUEUED;
  go_on(r, MPJ_SUCCESS);
  mpj_engine_progress_some(r->context, false);
}

void mpj_requests_abandon(struct mpj_comm *comm)
{
  struct mpj_pause pause = {0};
  char title[MPJ_TITLE_BYTES];
  struct mpj_request **link = &comm->queued;
  if (*link && (*link)->state == MPJ_REQUEST_CHECKING) link = &(*link)->next; /* it has a slot */
  while (*link) {
    struct mpj_request *r = *link;
    *link = r->next;
    comm->undone = true;
    conclude(r, mpj_error(MPJ_ERR_REQUEST, "rank %d ended before it was waited for", comm->rank));
  }
  comm->queued_last = comm->queued;
  for (uint64_t n = comm->completed; n < comm->started; n++) {
    struct mpj_slot *slot = mpj_comm_slot(comm, n);
    if (!slot->active || slot->abandoned) continue;
    mpj_error(MPJ_ERR_REQUEST, "rank %d ended before %s had", comm->rank,
              mpj_operation_title(comm, n, title));
    comm->undone = true;
    const struct mpj_cause left = {.code = MPJ_ERR_REQUEST, .culprit = comm->rank};
    mpj_operation_abandon(comm, slot, &left, false);
  }
  while (comm->completed < comm->started)
    mpj_wait_step(comm->context, &pause);
}

/* Give a persistent request a communicator, and let the exchange of its init begin in its turn. A
 * rank alone has nobody to be in step with. */
static int join(struct mpj_request *r, const struct mpj_prepared *p)
{
  if (!p->comm->net) return MPJ_SUCCESS;
  int status = mpj_persistent_make(p->comm, p->choice, &r->comm);
  if (status != MPJ_SUCCESS) return status;
  struct mpj_request *exchange = mpj_request_new(p);
  if (!exchange) {
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for a request");
    mpj_persistent_drop(r->comm);
    r->comm = r->user;
    return status;
  }
  exchange->joins = r->comm;
  r->comm->init = exchange;
  exchange->freed = true;
  enqueue(exchange);
  mpj_requests_start(p->comm);
  mpj_engine_progress_some(r->context, false);
  return MPJ_SUCCESS;
}

enum form { BEGUN, PERSISTENT, ONCE };

static int make(const struct mpj_prepared *p, enum form form, struct mpj_request **made)
{
  struct mpj_request *r = mpj_request_new(p);
  if (!r) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a request");
  const int status = form == PERSISTENT ? join(r, p) : MPJ_SUCCESS;
  r->persistent = form != BEGUN;
  *made = r;
  if (status != MPJ_SUCCESS) mpj_request_drop(r);
  return status;
}

/* Where there is no request the others hear of it, as of any bad argument. */
static int call(const struct mpj_arguments *a, enum form form, MPJ_Request *request)
{
  MPJ_HELD held = mpj_hold(mpj_context_current());
  struct mpj_prepared p;
  struct mpj_request *r = NULL;
  const int status = mpj_prepare(held, a, &p);
  if (status != MPJ_SUCCESS) return status;
  if (p.status == MPJ_SUCCESS && !request) p.status = mpj_error(MPJ_ERR_ARG, "request is NULL");
  if (p.status == MPJ_SUCCESS) p.status = make(&p, form, &r);
  if (p.status != MPJ_SUCCESS) return mpj_call_run(&p);
  *request = r;
  if (form == BEGUN) set_going(r);
  return MPJ_SUCCESS;
}

int mpj_call_begin(const struct mpj_arguments *a, MPJ_Request *request)
{
  return call(a, BEGUN, request);
}

int mpj_call_init(const struct mpj_arguments *a, MPJ_Request *request)
{
  return call(a, PERSISTENT, request);
}

int mpj_call_once(const struct mpj_arguments *a, MPJ_Request *request)
{
  return call(a, ONCE, request);
}

int mpj_request_compose(MPJ_Comm handle, const struct mpj_composition *composition, void *ctx,
                        bool persistent, MPJ_Request *request)
{
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *comm;
  const int status = mpj_comm_resolve(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  struct mpj_request *r = mpj_request_take(comm);
  if (!r) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a request");
  r->composition = composition;
  r->ctx = ctx;
  r->persistent = persistent;
  *request = r;
  return MPJ_SUCCESS;
}

void mpj_request_compose_start(MPJ_Request request)
{
  MPJ_HELD held = mpj_hold(request->context);
  (void)held;
  set_composed_going(request);
}

int mpj_request_start(MPJ_Request handle)
{
  struct mpj_request *r = NULL;
  const int status = mpj_request_resolve(handle, &r);
  if (status != MPJ_SUCCESS) return status;
  if (!r->persistent) return mpj_error(MPJ_ERR_REQUEST, "request is not a persistent one");
  if (r->state != MPJ_REQUEST_INACTIVE)
    return mpj_error(MPJ_ERR_REQUEST, "request has been started and not been waited for");
  if (r->composition)
    set_composed_going(r);
  else
    set_going(r);
  return MPJ_SUCCESS;
}
