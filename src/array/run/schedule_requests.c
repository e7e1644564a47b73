/* This file begins schedules and makes requests of them. A run that ends with its only call is that
 * call's request. Others are composed of a request for each call, and of work between them: of
 * persistent requests, or, if there is one call, which begins now, of one without a communicator of
 * its own. How a call is made does not depend on the op: the other ranks' may be another. */
#include "array/run/play.h"
#include "array/schedule_life.h"
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
  int failed;            /* why some of the requests are missing, with play's sentence */
  bool lost;             /* its calls are gone through once more, and refused (play.h) */
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

/* Do work up to the next call, if there is one. */
static MPJ_Request next_call(struct run *run, int *status)
{
  struct mpj_play *play = &run->play;
  while (run->at < play->nsteps) {
    const int i = run->at++;
    if (run->requests[i]) {
      *status = play->refuses ? mpj_play_outcome(play) : MPJ_SUCCESS;
      return run->requests[i];
    }
    if (!play->status) mpj_play_note(play, &play->steps[i], mpj_play_work(play, &play->steps[i]));
  }
  run->at = 0;
  *status = mpj_play_outcome(play);
  return MPJ_REQUEST_NULL;
}

static MPJ_Request next(void *ctx, int *status)
{
  struct run *run = ctx;
  struct mpj_play *play = &run->play;
  if (run->at == 0) {
    play->status = run->failed;
    play->refuses = run->lost = false;
  }
  const struct mpj_play_step *ended = run->at > 0 ? &play->steps[run->at - 1] : NULL;
  if (ended && ended->kind == MPJ_PLAY_COMPARE) *status = mpj_play_compare(play, *status, &run->at);
  mpj_play_note(play, ended, *status);
  MPJ_Request call = next_call(run, status);
  if (call || run->lost || !mpj_run_is_lost(&play->run, *status)) return call;
  run->lost = play->refuses = true;
  return next_call(run, status);
}

static const struct mpj_composition composition = {next, drop};

/* How requests of a run's calls are made. */
typedef int make_fn(const struct mpj_arguments *arguments, MPJ_Request *request);

/* A request for each call. For one that a rank cannot make it refuses the call, and takes part in
 * the others; an error only if there are none. */
static int make_requests(struct run *run, make_fn *make)
{
  struct mpj_play *play = &run->play;
  bool some = false;
  for (int i = 0; i < play->nsteps; i++) {
    struct mpj_step_call call;
    if (!mpj_step_is_call(&play->steps[i])) continue;
    mpj_play_call(play, &play->steps[i], &call);
    mpj_play_note(play, NULL, call.status);
    mpj_play_note(play, NULL, make(&call.arguments, &run->requests[i]));
    mpj_step_call_end(&call);
    some = some || run->requests[i];
  }
  run->failed = play->status;
  return some ? MPJ_SUCCESS : mpj_play_outcome(play);
}

/* The only call of a run; what is copied besides has been by the time that it begins. */
static int begin_single(struct mpj_play *play, MPJ_Request *request)
{
  struct mpj_step_call call;
  int i = 0;
  for (; !mpj_step_is_call(&play->steps[i]); i++)
    mpj_play_note(play, NULL, mpj_play_work(play, &play->steps[i]));
  mpj_play_call(play, &play->steps[i], &call);
  const int status = mpj_call_begin(&call.arguments, request);
  mpj_step_call_end(&call);
  mpj_play_note(play, NULL, call.status ? call.status : status);
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
static int prepare(const struct mpj_schedule_run *how, const void *from, const void *to,
                   void *fetched, struct run **out)
{
  struct run *run = mpj_alloc_array(1, sizeof *run);
  if (!run) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a request");
  int status = mpj_play_begin(&run->play, how, from, to, fetched);
  if (status) {
    mpj_free(run);
    return status;
  }
  run->schedule = how->schedule;
  mpj_refcount_up(&how->schedule->references);
  status = mpj_op_share(how->op, &run->op);
  run->play.run.op = run->op;
  run->requests = mpj_alloc_array((size_t)run->play.nsteps, sizeof *run->requests);
  if (!status && !run->requests)
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for the calls of a request");
  if (status)
    drop(run);
  else
    *out = run;
  return status;
}

/* Requests of a run's calls, and one of all. */
static int compose(struct run *run, bool persistent, bool single, MPJ_Request *request)
{
  const struct mpj_schedule_run how = run->play.run;
  MPJ_Request whole;
  int status = mpj_request_compose(how.schedule->comm, &composition, run, persistent, &whole);
  if (status) {
    status = mpj_run_refuse(&how, status, single ? refuse_single : refuse);
    drop(run);
    return status;
  }
  status = make_requests(run, single ? mpj_call_once : mpj_call_init);
  if (status) {
    char why[sizeof run->play.why];
    mpj_error_keep(why, sizeof why);
    MPJ_Request_free(&whole);
    return mpj_error(status, "%s", why);
  }
  if (!persistent) mpj_request_compose_start(whole);
  *request = whole;
  return MPJ_SUCCESS;
}

static int begin(MPJ_Schedule schedule, enum mpj_direction direction, const void *from,
                 const void *to, void *fetched, MPJ_Op op, bool persistent, MPJ_Request *request)
{
  struct mpj_array_schedule *s;
  struct run *run = NULL;
  int status = mpj_array_schedule_resolve(schedule, "schedule", &s);
  if (status) return status;
  const bool compares = mpj_run_needs_comparison(s, direction);
  const struct mpj_schedule_run how = {s, direction, op, compares && !persistent};
  const bool single = !persistent && mpj_run_is_single(&how);
  status = mpj_need(request, "request");
  if (!status) status = prepare(&how, from, to, fetched, &run);
  if (persistent && compares) {
    const int begun = status;
    status = mpj_run_agree(&how, begun);
    if (status && !begun) drop(run);
    if (mpj_run_is_lost(&how, status)) return mpj_run_refuse(&how, status, refuse);
    if (status) return status;
  }
  if (status) return mpj_run_refuse(&how, status, single ? refuse_single : refuse);
  if (!single || !mpj_step_is_call(&run->play.steps[run->play.nsteps - 1]))
    return compose(run, persistent, single, request);
  status = begin_single(&run->play, request);
  drop(run);
  return status;
}

int MPJ_Schedule_iforward(MPJ_Schedule schedule, const void *from, void *to, MPJ_Request *request)
{
  MPJ_ENTRY;
  return begin(schedule, MPJ_FORWARD, from, to, NULL, MPJ_REPLACE, false, request);
}

int MPJ_Schedule_forward_init(MPJ_Schedule schedule, const void *from, void *to,
                              MPJ_Request *request)
{
  MPJ_ENTRY;
  return begin(schedule, MPJ_FORWARD, from, to, NULL, MPJ_REPLACE, true, request);
}

int MPJ_Schedule_ibackward(MPJ_Schedule schedule, void *from, const void *to, MPJ_Op op,
                           MPJ_Request *request)
{
  MPJ_ENTRY;
  return begin(schedule, MPJ_BACKWARD, from, to, NULL, op, false, request);
}

int MPJ_Schedule_backward_init(MPJ_Schedule schedule, void *from, const void *to, MPJ_Op op,
                               MPJ_Request *request)
{
  MPJ_ENTRY;
  return begin(schedule, MPJ_BACKWARD, from, to, NULL, op, true, request);
}

int MPJ_Schedule_ifetch_op(MPJ_Schedule schedule, void *from, const void *to, void *fetched,
                           MPJ_Op op, MPJ_Request *request)
{
  MPJ_ENTRY;
  return begin(schedule, MPJ_FETCH, from, to, fetched, op, false, request);
}

int MPJ_Schedule_fetch_op_init(MPJ_Schedule schedule, void *from, const void *to, void *fetched,
                               MPJ_Op op, MPJ_Request *request)
{
  MPJ_ENTRY;
  return begin(schedule, MPJ_FETCH, from, to, fetched, op, true, request);
}
