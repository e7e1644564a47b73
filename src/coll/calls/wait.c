/* This file waits for requests, one, some or all of an array. */
#include "base/entry.h"
#include "base/status.h"
#include "coll/calls/request.h"
#include "coll/failure/circle.h"
#include "coll/run/engine.h"
#include "coll/run/wait_turn.h"
#include "coll/threads/hold.h"

static int check_array(int n, const void *array, const char *name)
{
  if (n < 0) return mpj_error(MPJ_ERR_ARG, "n is %d, must be at least 0", n);
  return n == 0 || array ? MPJ_SUCCESS : mpj_error(MPJ_ERR_ARG, "%s is NULL", name);
}

/* How things stand with an array: active requests, and those of them done, as far as was
 * counted. */
struct tally {
  int active, done, first_done;
};

/* Requests of the rank that are done and not collected. */
static uint64_t waiting_to_be_taken(const struct mpj_context *context)
{
  return context ? context->requests_ended - context->requests_taken : 0;
}

/* Where to begin in an array of which `enough` are counted: in a long one that is emptied one by
 * one behind the last that was found, not at the nulls before it. */
static int beginning(const struct mpj_context *context, int n, const MPJ_Request requests[],
                     int enough)
{
  const bool again = enough == 1 && context && context->any_array == requests;
  return again && context->any_next < n ? context->any_next : 0;
}

/* Count until `enough` are done, or all around the array; or, where no further one can be done,
 * until `known` are active and one of them is not done. So what finds nothing new looks at few. */
static int count(int n, const MPJ_Request requests[], int enough, int known, struct tally *t)
{
  const struct mpj_context *context = mpj_context_current();
  const uint64_t most = waiting_to_be_taken(context);
  *t = (struct tally){.first_done = MPJ_UNDEFINED};
  int i = beginning(context, n, requests, enough);
  for (int left = n; left > 0 && t->done < enough; left--, i = i + 1 < n ? i + 1 : 0) {
    struct mpj_request *r;
    if (requests[i] == MPJ_REQUEST_NULL) continue;
    const int status = mpj_request_look(requests[i], &r);
    if (status != MPJ_SUCCESS) return status;
    if (!r) continue;
    t->active++;
    if (r->state == MPJ_REQUEST_DONE && t->done++ == 0) t->first_done = i;
    if (t->active > t->done && t->active >= known && (uint64_t)t->done >= most) break;
  }
  return MPJ_SUCCESS;
}

/* Move things on once, and see who has gone; count until `enough` are done. */
static int poll_and_count(int n, const MPJ_Request requests[], int enough, struct tally *t)
{
  int status = count(n, requests, enough, 1, t);
  if (status != MPJ_SUCCESS || t->active == t->done) return status;
  struct mpj_context *context = mpj_context_current();
  const uint64_t ended = context->requests_ended;
  const bool moved = mpj_engine_progress_some(context, true);
  if (!moved && context->net) mpj_net_notice(context->net);
  if (context->requests_ended == ended) {
    mpj_wait_tested(context, moved);
    return status;
  }
  mpj_wait_found(context);
  return count(n, requests, enough, 1, t);
}

/* The rank is blocked in the operation of the request, of a start perhaps in its init: in what that
 * exchanges, or in what keeps it in the queue. */
static void block_in(const struct mpj_request *r)
{
  while (r->composition && r->state == MPJ_REQUEST_QUEUED)
    r = r->next;
  if (r->state == MPJ_REQUEST_QUEUED && r->comm->joining) r = r->comm->init;
  if (r->state == MPJ_REQUEST_QUEUED)
    mpj_circle_block_queue(r->comm);
  else
    mpj_circle_block(r->comm, r->slot->sequence);
}

/* All of these are waited for, and those before `at` are done: the rank is blocked in the first
 * that is not. Returns where that is. */
static int block(int n, const MPJ_Request requests[], int at)
{
  while (at < n && (requests[at] == MPJ_REQUEST_NULL || requests[at]->state == MPJ_REQUEST_DONE ||
                    requests[at]->state == MPJ_REQUEST_INACTIVE))
    at++;
  if (at < n) block_in(requests[at]);
  return at;
}

/* Wait until at least `least` are done, or as many as are active. They are counted anew only
 * once as many as are missing have ended, of whatever array. */
static int wait_for(int n, const MPJ_Request requests[], int least, struct tally *t)
{
  struct mpj_pause pause = {0};
  for (;;) {
    const int status = count(n, requests, least, least, t);
    if (status != MPJ_SUCCESS || t->done >= least || t->done == t->active) {
      mpj_wait_settle(mpj_context_current());
      return status;
    }
    const struct mpj_context *context = mpj_context_current();
    const int wanted = least < t->active ? least : t->active;
    const uint64_t enough = context->requests_ended + (uint64_t)(wanted - t->done);
    for (int at = 0; context->requests_ended < enough;) {
      if (least == n) at = block(n, requests, at);
      mpj_wait_step(mpj_context_current(), &pause);
    }
    mpj_circle_unblock(mpj_context_current());
  }
}

/* Collect all that are done; the first error is returned. */
static int collect(int n, MPJ_Request requests[], int *ndone, int indices[])
{
  const struct mpj_context *context = mpj_context_current();
  int first = MPJ_SUCCESS, found = 0;
  for (int i = 0; i < n && waiting_to_be_taken(context) > 0; i++) {
    struct mpj_request *r;
    if (requests[i] == MPJ_REQUEST_NULL) continue;
    mpj_request_look(requests[i], &r);
    if (!r || r->state != MPJ_REQUEST_DONE) continue;
    if (indices) indices[found] = i;
    found++;
    const int status = mpj_request_collect(&requests[i]);
    if (first == MPJ_SUCCESS) first = status;
  }
  if (ndone) *ndone = found;
  return first;
}

/* Collect the one that was found, if one was. */
static int collect_any(MPJ_Request requests[], const struct tally *t)
{
  struct mpj_context *context = mpj_context_current();
  if (t->done == 0) return MPJ_SUCCESS;
  context->any_array = requests;
  context->any_next = t->first_done + 1;
  return mpj_request_collect(&requests[t->first_done]);
}

/* The request behind the handle, if it has ended, or its operation walks and is all that is under
 * way; and no other thread of the rank can be in a call. */
static MPJ_HOT struct mpj_request *alone(const MPJ_Request *handle)
{
  const struct mpj_context *context = mpj_context_current();
  if (!context || context->lock.closed || !handle || !mpj_request_is_live(*handle)) return NULL;
  struct mpj_request *r = *handle;
  if (r->context != context || (context->net && !mpj_net_can_take(context->net))) return NULL;
  if (r->state == MPJ_REQUEST_DONE) return r;
  const struct mpj_slot *slot = r->slot;
  const bool walks = r->state == MPJ_REQUEST_ACTIVE && !slot->listed && !slot->abandoned;
  return walks && !slot->walking && !mpj_engine_has_others(r->comm) ? r : NULL;
}

/* Whether it has ended now; if it has not, and that has been waited for, it is listed. */
static MPJ_HOT bool ends(struct mpj_request *r, bool wait)
{
  if (r->state != MPJ_REQUEST_DONE && mpj_engine_walk(r->comm, r->slot, wait)) mpj_request_ended(r);
  return r->state == MPJ_REQUEST_DONE;
}

/* Wait for one that is alone and collect it; *status is what that returns. False: it is not, or the
 * wait is long. */
static MPJ_HOT bool wait_alone(MPJ_Request *handle, int *status)
{
  struct mpj_request *r = alone(handle);
  if (!r || !ends(r, true)) return false;
  *status = mpj_request_collect(handle);
  return true;
}

/* Test one that is alone in the same way. */
static MPJ_HOT bool test_alone(MPJ_Request *handle, int *done, int *status)
{
  enum { TESTS_MOST = 512 };
  struct mpj_request *r = done ? alone(handle) : NULL;
  if (!r) return false;
  *done = ends(r, false) || (mpj_net_poll(r->context->net) && !r->slot->listed && ends(r, false));
  *status = MPJ_SUCCESS;
  if (*done) *status = mpj_request_collect(handle);
  return *done || (!r->slot->listed && !r->slot->abandoned && ++r->slot->tests < TESTS_MOST);
}

/* For calls that take one, whose argument has a name of its own. */
static int no_request(void)
{
  return mpj_error(MPJ_ERR_ARG, "request is NULL");
}

int MPJ_Test(MPJ_Request *request, int *done)
{
  MPJ_ENTRY;
  if (!request) return no_request();
  return MPJ_Testall(1, request, done);
}

int MPJ_Wait(MPJ_Request *request)
{
  MPJ_ENTRY;
  if (!request) return no_request();
  return MPJ_Waitall(1, request);
}

int MPJ_Waitall(int n, MPJ_Request requests[])
{
  MPJ_ENTRY;
  int status;
  if (n == 1 && wait_alone(requests, &status)) return status;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct tally t;
  status = check_array(n, requests, "requests");
  if (status == MPJ_SUCCESS) status = wait_for(n, requests, n, &t);
  return status == MPJ_SUCCESS ? collect(n, requests, NULL, NULL) : status;
}

int MPJ_Testall(int n, MPJ_Request requests[], int *done)
{
  MPJ_ENTRY;
  int status;
  if (n == 1 && test_alone(requests, done, &status)) return status;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct tally t;
  status = check_array(n, requests, "requests");
  if (status == MPJ_SUCCESS) status = check_array(1, done, "done");
  if (status == MPJ_SUCCESS) status = poll_and_count(n, requests, n, &t);
  if (status != MPJ_SUCCESS) return status;
  *done = t.active == t.done;
  return *done ? collect(n, requests, NULL, NULL) : MPJ_SUCCESS;
}

int MPJ_Waitany(int n, MPJ_Request requests[], int *index)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct tally t;
  int status = check_array(n, requests, "requests");
  if (status == MPJ_SUCCESS) status = check_array(1, index, "index");
  if (status == MPJ_SUCCESS) status = wait_for(n, requests, 1, &t);
  if (status != MPJ_SUCCESS) return status;
  *index = t.first_done;
  return collect_any(requests, &t);
}

int MPJ_Testany(int n, MPJ_Request requests[], int *index, int *done)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct tally t;
  int status = check_array(n, requests, "requests");
  if (status == MPJ_SUCCESS) status = check_array(1, index, "index");
  if (status == MPJ_SUCCESS) status = check_array(1, done, "done");
  if (status == MPJ_SUCCESS) status = poll_and_count(n, requests, 1, &t);
  if (status != MPJ_SUCCESS) return status;
  *done = t.done > 0 || t.active == 0;
  *index = t.first_done;
  return collect_any(requests, &t);
}

/* Waitsome and Testsome, after the counting. */
static int collect_some(int n, MPJ_Request requests[], const struct tally *t, int *ndone,
                        int indices[])
{
  if (t->active > 0) return collect(n, requests, ndone, indices);
  *ndone = MPJ_UNDEFINED;
  return MPJ_SUCCESS;
}

static int check_some(int n, const MPJ_Request requests[], const int *ndone, const int indices[])
{
  int status = check_array(n, requests, "requests");
  if (status == MPJ_SUCCESS) status = check_array(1, ndone, "ndone");
  return status == MPJ_SUCCESS ? check_array(n, indices, "indices") : status;
}

int MPJ_Waitsome(int n, MPJ_Request requests[], int *ndone, int indices[])
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct tally t;
  int status = check_some(n, requests, ndone, indices);
  if (status == MPJ_SUCCESS) status = wait_for(n, requests, 1, &t);
  return status == MPJ_SUCCESS ? collect_some(n, requests, &t, ndone, indices) : status;
}

int MPJ_Testsome(int n, MPJ_Request requests[], int *ndone, int indices[])
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct tally t;
  int status = check_some(n, requests, ndone, indices);
  if (status == MPJ_SUCCESS) status = poll_and_count(n, requests, n, &t);
  return status == MPJ_SUCCESS ? collect_some(n, requests, &t, ndone, indices) : status;
}

int MPJ_Start(MPJ_Request *request)
{
  MPJ_ENTRY;
  if (!request) return no_request();
  if (*request == MPJ_REQUEST_NULL) return mpj_error(MPJ_ERR_REQUEST, "request is null");
  return MPJ_Startall(1, request);
}

int MPJ_Startall(int n, MPJ_Request requests[])
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  int status = check_array(n, requests, "requests");
  for (int i = 0; i < n && status == MPJ_SUCCESS; i++)
    status = requests[i] == MPJ_REQUEST_NULL ? mpj_error(MPJ_ERR_REQUEST, "requests[%d] is null", i)
                                             : mpj_request_start(requests[i]);
  return status;
}
