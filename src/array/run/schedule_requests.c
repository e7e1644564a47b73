/* This file begins schedules and makes requests of them. A run of one call is that call's request;
 * a longer one is composed of a persistent request for each call, and of work between them. */
#include "array/run/play.h"
#include "array/schedule_life.h"
#include "base/config/config.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "coll/calls/request.h"

struct run {
  struct mpj_array_schedule *schedule; /* shared */
  MPJ_Op op;                           /* its own */
  struct mpj_play play;
  MPJ_Request *requests; /* [play.nsteps] owned; of those that are calls */
  int at;                /* the next step; 0: it is not under way */
};

static void drop(void *ctx)
{
  struct run *run = ctx;
  for (int i = 0; run->requests && i < run->play.nsteps; i++)
    if (run->requests[i]) MPJ_Request_free(&run->requests[i]);
  mpj_free(run->requests);
  mpj_play_end(&run->play);
  if (run->op) mpj_op_unshare(run->op);
  mpj_array_schedule_release(run->schedule);
  mpj_free(run);
}

/* Do work up to the next call. */
static MPJ_Request next(void *ctx, int *status)
{
  struct run *run = ctx;
  struct mpj_play *play = &run->play;
  if (run->at == 0) play->status = MPJ_SUCCESS;
  mpj_play_note(play, *status);
  while (run->at < play->nsteps) {
    const int i = run->at++;
    if (run->requests[i]) return run->requests[i];
    if (!play->status) mpj_play_note(play, mpj_play_work(play, &play->steps[i]));
  }
  run->at = 0;
  *status = mpj_play_outcome(play);
  return MPJ_REQUEST_NULL;
}

static const struct mpj_composition composition = {next, drop};

/* A request for each call; a rank that cannot make one makes one that fails. */
static int make_requests(struct run *run)
{
  struct mpj_play *play = &run->play;
  for (int i = 0; i < play->nsteps; i++) {
    struct mpj_step_call call;
    if (!mpj_step_is_call(&play->steps[i])) continue;
    mpj_play_call(play, &play->steps[i], &call);
    mpj_play_note(play, call.status);
    mpj_play_note(play, mpj_call_init(&call.arguments, &run->requests[i]));
    mpj_step_call_end(&call);
  }
  return mpj_play_outcome(play);
}

/* The only call of a run; what is copied besides has been by the time that it begins. */
static int begin_single(struct mpj_play *play, MPJ_Request *request)
{
  struct mpj_step_call call;
  int i = 0;
  for (; !mpj_step_is_call(&play->steps[i]); i++)
    mpj_play_note(play, mpj_play_work(play, &play->steps[i]));
  mpj_play_call(play, &play->steps[i], &call);
  const int status = mpj_call_begin(&call.arguments, request);
  mpj_step_call_end(&call);
  mpj_play_note(play, call.status ? call.status : status);
  return mpj_play_outcome(play);
}

/* A call of a run that this rank cannot make requests of; a run of one call. */
static int refuse(const struct mpj_arguments *arguments)
{
  MPJ_Request none;
  return mpj_call_init(arguments, &none);
}

static int refuse_single(const struct mpj_arguments *arguments)
{
  MPJ_Request none;
  return mpj_call_begin(arguments, &none);
}

/* The run, with all that it needs but its requests. */
static int prepare(struct mpj_array_schedule *s, enum mpj_direction direction, const void *from,
                   const void *to, MPJ_Op op, struct run **out)
{
  struct run *run = mpj_alloc_array(1, sizeof *run);
  if (!run) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a request");
  int status = mpj_play_begin(&run->play, s, direction, from, to, NULL, op);
  if (status) {
    mpj_free(run);
    return status;
  }
  run->schedule = s;
  mpj_refcount_up(&s->references);
  status = mpj_op_share(op, &run->op);
  run->play.op = run->op;
  run->requests = mpj_alloc_array((size_t)run->play.nsteps, sizeof *run->requests);
  if (!status && !run->requests)
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for the calls of a request");
  if (status)
    drop(run);
  else
    *out = run;
  return status;
}

static int begin(MPJ_Schedule schedule, enum mpj_direction direction, const void *from,
                 const void *to, MPJ_Op op, bool persistent, MPJ_Request *request)
{
  struct mpj_array_schedule *s;
  struct run *run = NULL;
  int status = mpj_array_schedule_resolve(schedule, "schedule", &s);
  if (status) return status;
  const bool single = !persistent && mpj_play_is_single(s, direction, op);
  status = mpj_need(request, "request");
  if (!status) status = prepare(s, direction, from, to, op, &run);
  if (persistent && mpj_config()->check) {
    const int begun = status;
    status = mpj_play_agree(s, direction, op, begun);
    if (status && !begun) drop(run);
    if (status) return status;
  }
  if (status) return mpj_play_refuse(s, direction, op, status, single ? refuse_single : refuse);
  if (single) {
    status = begin_single(&run->play, request);
    drop(run);
    return status;
  }
  status = make_requests(run);
  if (!status) status = mpj_request_compose(s->comm, &composition, run, persistent, request);
  if (status) drop(run);
  return status;
}

int MPJ_Schedule_iforward(MPJ_Schedule schedule, const void *from, void *to, MPJ_Request *request)
{
  MPJ_ENTRY;
  return begin(schedule, MPJ_FORWARD, from, to, MPJ_REPLACE, false, request);
}

int MPJ_Schedule_forward_init(MPJ_Schedule schedule, const void *from, void *to,
                              MPJ_Request *request)
{
  MPJ_ENTRY;
  return begin(schedule, MPJ_FORWARD, from, to, MPJ_REPLACE, true, request);
}

int MPJ_Schedule_ibackward(MPJ_Schedule schedule, void *from, const void *to, MPJ_Op op,
                           MPJ_Request *request)
{
  MPJ_ENTRY;
  return begin(schedule, MPJ_BACKWARD, from, to, op, false, request);
}

int MPJ_Schedule_backward_init(MPJ_Schedule schedule, void *from, const void *to, MPJ_Op op,
                               MPJ_Request *request)
{
  MPJ_ENTRY;
  return begin(schedule, MPJ_BACKWARD, from, to, op, true, request);
}
