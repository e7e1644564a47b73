/* This file waits for requests, one, some or all of an array. */
#include "base/status.h"
#include "coll/context.h"
#include "coll/request.h"

static int check_array(int n, const void *array, const char *name)
{
  if (n < 0) return mpj_error(MPJ_ERR_ARG, "n is %d, must be at least 0", n);
  return n == 0 || array ? MPJ_SUCCESS : mpj_error(MPJ_ERR_ARG, "%s is NULL", name);
}

/* How things stand with an array: active requests, and those of them done. */
struct tally {
  int active, done, first_done;
};

static int count(int n, const MPJ_Request requests[], struct tally *t)
{
  *t = (struct tally){.first_done = MPJ_UNDEFINED};
  for (int i = 0; i < n; i++) {
    struct mpj_request *r;
    const int status = mpj_request_look(requests[i], &r);
    if (status != MPJ_SUCCESS) return status;
    if (!r) continue;
    t->active++;
    if (r->state != MPJ_REQUEST_DONE) continue;
    if (t->done++ == 0) t->first_done = i;
  }
  return MPJ_SUCCESS;
}

/* Move things on once, and see who has gone, then count. */
static int poll_and_count(int n, const MPJ_Request requests[], struct tally *t)
{
  struct mpj_pause pause = {0};
  int status = count(n, requests, t);
  if (status != MPJ_SUCCESS || t->active == t->done) return status;
  struct mpj_context *context = mpj_context_current();
  if (!mpj_engine_turn(context, &pause)) mpj_net_notice(context->net);
  return count(n, requests, t);
}

/* Wait until at least `least` are done, or as many as are active. */
static int wait_for(int n, const MPJ_Request requests[], int least, struct tally *t)
{
  struct mpj_pause pause = {0};
  for (;;) {
    const int status = count(n, requests, t);
    if (status != MPJ_SUCCESS || t->done >= least || t->done == t->active) {
      mpj_engine_settle();
      return status;
    }
    mpj_engine_step(&pause);
  }
}

/* Collect all that are done; the first error is returned. */
static int collect(int n, MPJ_Request requests[], int *ndone, int indices[])
{
  int first = MPJ_SUCCESS, found = 0;
  for (int i = 0; i < n; i++) {
    struct mpj_request *r;
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

/* For calls that take one, whose argument has a name of its own. */
static int no_request(void)
{
  return mpj_error(MPJ_ERR_ARG, "request is NULL");
}

int MPJ_Test(MPJ_Request *request, int *done)
{
  if (!request) return no_request();
  return MPJ_Testall(1, request, done);
}

int MPJ_Wait(MPJ_Request *request)
{
  if (!request) return no_request();
  return MPJ_Waitall(1, request);
}

int MPJ_Waitall(int n, MPJ_Request requests[])
{
  int status;
  if (n == 1 && mpj_request_wait_quickly(requests, &status)) return status;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct tally t;
  status = check_array(n, requests, "requests");
  if (status == MPJ_SUCCESS) status = wait_for(n, requests, n, &t);
  return status == MPJ_SUCCESS ? collect(n, requests, NULL, NULL) : status;
}

int MPJ_Testall(int n, MPJ_Request requests[], int *done)
{
  int status;
  if (n == 1 && mpj_request_test_quickly(requests, done, &status)) return status;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct tally t;
  status = check_array(n, requests, "requests");
  if (status == MPJ_SUCCESS) status = check_array(1, done, "done");
  if (status == MPJ_SUCCESS) status = poll_and_count(n, requests, &t);
  if (status != MPJ_SUCCESS) return status;
  *done = t.active == t.done;
  return *done ? collect(n, requests, NULL, NULL) : MPJ_SUCCESS;
}

int MPJ_Waitany(int n, MPJ_Request requests[], int *index)
{
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct tally t;
  int status = check_array(n, requests, "requests");
  if (status == MPJ_SUCCESS) status = check_array(1, index, "index");
  if (status == MPJ_SUCCESS) status = wait_for(n, requests, 1, &t);
  if (status != MPJ_SUCCESS) return status;
  *index = t.first_done;
  return t.done > 0 ? mpj_request_collect(&requests[t.first_done]) : MPJ_SUCCESS;
}

int MPJ_Testany(int n, MPJ_Request requests[], int *index, int *done)
{
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct tally t;
  int status = check_array(n, requests, "requests");
  if (status == MPJ_SUCCESS) status = check_array(1, index, "index");
  if (status == MPJ_SUCCESS) status = check_array(1, done, "done");
  if (status == MPJ_SUCCESS) status = poll_and_count(n, requests, &t);
  if (status != MPJ_SUCCESS) return status;
  *done = t.done > 0 || t.active == 0;
  *index = t.first_done;
  return t.done > 0 ? mpj_request_collect(&requests[t.first_done]) : MPJ_SUCCESS;
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
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct tally t;
  int status = check_some(n, requests, ndone, indices);
  if (status == MPJ_SUCCESS) status = wait_for(n, requests, 1, &t);
  return status == MPJ_SUCCESS ? collect_some(n, requests, &t, ndone, indices) : status;
}

int MPJ_Testsome(int n, MPJ_Request requests[], int *ndone, int indices[])
{
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct tally t;
  int status = check_some(n, requests, ndone, indices);
  if (status == MPJ_SUCCESS) status = poll_and_count(n, requests, &t);
  return status == MPJ_SUCCESS ? collect_some(n, requests, &t, ndone, indices) : status;
}

int MPJ_Start(MPJ_Request *request)
{
  if (!request) return no_request();
  if (*request == MPJ_REQUEST_NULL) return mpj_error(MPJ_ERR_REQUEST, "request is null");
  return MPJ_Startall(1, request);
}

int MPJ_Startall(int n, MPJ_Request requests[])
{
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  int status = check_array(n, requests, "requests");
  for (int i = 0; i < n && status == MPJ_SUCCESS; i++)
    status = requests[i] == MPJ_REQUEST_NULL ? mpj_error(MPJ_ERR_REQUEST, "requests[%d] is null", i)
                                             : mpj_request_start(requests[i]);
  return status;
}
