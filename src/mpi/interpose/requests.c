/* This file keeps the requests of served calls. */
#include "mpi/interpose/requests.h"

#include <sched.h>

#include "mpi/convert/op.h"
#include "mpi/interpose/arguments/ops.h"
#include "mpi/interpose/call_run.h"
#include "mpi/interpose/errors.h"
#include "mpi/interpose/persistents.h"
#include "mpi/interpose/progress_helper.h"
#include "mpi/interpose/report.h"
#include "mpi/interpose/waiting.h"

static struct request *under_way, **under_way_end = &under_way;
static int nunder_way;   /* atomic; written under the lock */
static int ngeneralised; /* of those that MPI has not freed; atomic */
static MPI_Request never = MPI_REQUEST_NULL;
static int unused_tag; /* the highest there is */
static unsigned polls; /* by the program's threads; atomic */
static int napplied;   /* of those under way; under the lock */
/* What `query` was asked of last by this thread's completion call, if it failed. */
static _Thread_local int failure_seen;
static _Thread_local const struct request *asked_of; /* what it was asked of last */

bool requests_under_way(void)
{
  return requests_load(&nunder_way) > 0;
}

bool requests_need_ops(void)
{
  return requests_load(&nunder_way) > 0 || persistents_any();
}

MPI_Request requests_never(void)
{
  return never;
}

/* --- what MPI asks of a generalised request --- */

/* A failure is told by the completion call itself: MPI would call MPI_COMM_WORLD's handler. Which
 * status it is of, the tag says until then. */
static int query(void *extra_state, MPI_Status *status)
{
  const struct request *r = asked_of = extra_state;
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  if (r && r->failure) status->MPI_TAG = failure_seen = r->failure;
  return MPI_SUCCESS;
}

static int release(void *extra_state)
{
  if (extra_state) requests_add(&ngeneralised, -1);
  free(extra_state);
  return MPI_SUCCESS;
}

/* Nobody asks for it: MPI_Cancel is interposed. */
static int cancel(void *extra_state, int complete)
{
  (void)extra_state, (void)complete;
  return MPI_SUCCESS;
}

static int new_request(struct call *call, bool persistent, struct request **made)
{
  struct request *r = calloc(1, sizeof *r);
  if (!r) return MPI_ERR_NO_MEM;
  r->call = *call;
  r->call.form = persistent ? MAKES : STARTS;
  r->persistent = persistent;
  r->applied = call->op && mpi_op_of_predefined(call->op) == MPI_OP_NULL;
  *made = r;
  return MPI_SUCCESS;
}

static const struct progress_helper_work work = {requests_under_way, requests_polls,
                                                 requests_progress_helper};

/* The lock is held. */
static void append(struct request *r)
{
  r->next = NULL;
  *under_way_end = r;
  under_way_end = &r->next;
}

/* The lock is held. */
static void list_under_way(struct request *r)
{
  r->under_way = true;
  r->ended = false;
  r->begun = report_begin();
  append(r);
  napplied += r->applied;
  requests_add(&nunder_way, 1);
  progress_helper_needed(&work);
  if (r->persistent) persistent_started();
}

int requests_start(struct call *call, MPI_Request *request)
{
  struct request *r = NULL;
  const MPI_Comm comm = call->mpi_comm;
  int code = new_request(call, false, &r);
  if (code) {
    call_end(call);
    PMPI_Comm_call_errhandler(comm, code);
    return code;
  }
  requests_lock();
  const int status = call_start(call, &r->mpj);
  call_end(&r->call); /* the operation keeps what it needs */
  if (!status) {
    PMPI_Grequest_start(query, release, cancel, r, &r->handle);
    requests_add(&ngeneralised, 1);
    *request = r->handle;
    list_under_way(r);
  }
  requests_unlock();
  call->form = r->call.form;
  if (status) free(r);
  return mpi_error_of(status, call, comm);
}

int requests_init(struct call *call, MPI_Request *request)
{
  struct request *r = NULL;
  const MPI_Comm comm = call->mpi_comm;
  int code = new_request(call, true, &r);
  if (code) {
    call_end(call);
    PMPI_Comm_call_errhandler(comm, code);
    return code;
  }
  requests_lock();
  const int status = call_init(call, &r->mpj);
  r->bytes = report_bytes(&r->call);
  call_end(&r->call);
  if (!status) {
    PMPI_Send_init(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm, &r->handle);
    *request = r->handle;
    persistent_add(r);
  }
  requests_unlock();
  call->form = r->call.form;
  if (status) free(r);
  return mpi_error_of(status, call, comm);
}

/* MPI hears that it is done. The lock is held; *r may be gone afterwards. */
static void complete(struct request *r, int status)
{
  r->under_way = false;
  r->status = status;
  napplied -= r->applied;
  requests_add(&nunder_way, -1);
  report_time(r->call.collective, r->begun);
  mpi_is_behind();
  r->failure = mpi_error_call(status, r->call.mpi_comm);
  if (!r->persistent)
    PMPI_Grequest_complete(r->handle);
  else
    persistent_ended(r);
}

/* What is not done is asked of many a time: of thousands, some at each look, in turn. */
enum { LOOKS_MOST = 64 };

/* The lock is held. An error handler of the program's may start others. */
static void poll_some(void)
{
  int looks = 0;
  for (int n = requests_load(&nunder_way); n > 0 && looks < LOOKS_MOST && under_way; n--) {
    struct request *r = under_way;
    int done = r->ended;
    under_way = r->next;
    if (!under_way) under_way_end = &under_way;
    const int status = done ? r->status : MPJ_Test(&r->mpj, &done);
    if (!r->ended) mpi_error_keep(status, &r->call);
    if (status == MPJ_SUCCESS && !done) {
      append(r);
      looks++;
    } else
      complete(r, status);
  }
}

void requests_poll(void)
{
  if (!requests_under_way() || !requests_try_lock()) return;
  __atomic_fetch_add(&polls, 1, __ATOMIC_RELAXED);
  poll_some();
  requests_unlock();
  if (!requests_need_ops()) ops_release();
}

void wait_a_little(void)
{
  requests_poll();
  if (wait_yields()) sched_yield();
}

unsigned requests_polls(void)
{
  return __atomic_load_n(&polls, __ATOMIC_RELAXED);
}

/* MPI is not called: not to combine, nor to tell it of what has ended. */
void requests_progress_helper(void)
{
  if (!requests_try_lock()) return;
  for (struct request *r = napplied > 0 ? NULL : under_way; r; r = r->next) {
    int done = 0;
    if (r->ended) continue;
    r->status = MPJ_Test(&r->mpj, &done);
    mpi_error_keep(r->status, &r->call);
    r->ended = done || r->status != MPJ_SUCCESS;
  }
  requests_unlock();
}

enum { LOOKS = 64, LOOKS_SENDING = 8 }; /* in MPJ for one in MPI */

/* A probe for a message that nobody sends looks after all that is under way. */
static void let_mpi_progress(void)
{
  int found = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, unused_tag, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

void let_mpi_catch_up(void)
{
  for (int looks = 0; must_look_again(&looks);)
    let_mpi_progress();
}

int requests_run(const struct call *call)
{
  MPJ_Request request;
  int done = 0;
  unsigned looks = 0;
  requests_lock();
  int status = call_start(call, &request);
  requests_unlock();
  while (!status && !done) {
    requests_lock();
    status = MPJ_Test(&request, &done);
    requests_unlock();
    if (status || done) break;
    if (++looks % (mpi_may_send() ? LOOKS_SENDING : LOOKS) == 0) let_mpi_progress();
    wait_a_little();
  }
  return status;
}

int requests_run_alone(const struct call *call)
{
  mpi_progress_inside(true);
  const int status = call_run(call);
  mpi_progress_inside(false);
  return status;
}

/* The lock is held. */
static bool any_on(MPI_Comm comm)
{
  for (const struct request *r = under_way; r; r = r->next)
    if (r->call.mpi_comm == comm) return true;
  return false;
}

void requests_drain(MPI_Comm comm)
{
  bool any = requests_under_way();
  while (any) {
    wait_a_little();
    requests_lock();
    any = any_on(comm);
    requests_unlock();
  }
  if (!persistents_any()) return;
  requests_lock(); /* inactive ones may be started still: who hears of their errors then? */
  persistents_leave(comm);
  requests_unlock();
}

void requests_ask(void)
{
  failure_seen = MPI_SUCCESS;
}

int requests_failed(MPI_Status *status)
{
  if (!failure_seen || !status) return failure_seen;
  if (status->MPI_SOURCE != MPI_UNDEFINED || status->MPI_TAG == MPI_UNDEFINED) return MPI_SUCCESS;
  const int failure = status->MPI_TAG;
  status->MPI_TAG = MPI_UNDEFINED;
  return failure;
}

int requests_restart(MPI_Request request, bool *served)
{
  *served = false;
  if (!persistents_any()) return MPI_SUCCESS;
  requests_lock();
  struct request *r = persistent_find(request);
  int status = MPJ_SUCCESS;
  if (r) {
    *served = true;
    status = MPJ_Start(&r->mpj);
    if (!status) {
      report_served(r->call.collective, r->bytes, report_begin());
      list_under_way(r);
    }
  }
  requests_unlock();
  return r ? mpi_error_of(status, &r->call, r->call.mpi_comm) : MPI_SUCCESS;
}

/* What becomes of a request that a collective has made. */
enum life { NOT_SERVED, UNDER_WAY, COMPLETE };

/* A generalised one that is complete is in no list: its query says that it is one of ours. */
static enum life nonblocking_life(MPI_Request handle)
{
  if (requests_load(&ngeneralised) == 0) return NOT_SERVED;
  requests_lock();
  const struct request *r = under_way;
  while (r && (r->persistent || r->handle != handle))
    r = r->next;
  requests_unlock();
  if (r) return UNDER_WAY;
  int done = 0;
  MPI_Status status;
  asked_of = NULL;
  PMPI_Request_get_status(handle, &done, &status);
  return asked_of ? COMPLETE : NOT_SERVED;
}

static int refuse(const char *call, const char *which)
{
  return mpi_error_of(mpi_report(MPJ_ERR_REQUEST,
                                 "%s on the request of %s collective: MPI forbids it", call, which),
                      NULL, MPI_COMM_WORLD);
}

int requests_cancel(MPI_Request request)
{
  bool persistent = false;
  if (persistents_any()) {
    requests_lock();
    persistent = persistent_find(request) != NULL;
    requests_unlock();
  }
  if (persistent) return refuse("MPI_Cancel", "a persistent");
  return nonblocking_life(request) ? refuse("MPI_Cancel", "a nonblocking") : MPI_SUCCESS;
}

#ifdef OMPI_MAJOR_VERSION
enum { REFUSED = UNDER_WAY }; /* Open MPI frees those that are complete */
#else
enum { REFUSED = COMPLETE };
#endif

int requests_free(MPI_Request *request, bool *served)
{
  requests_poll();
  const enum life life = nonblocking_life(*request);
  *served = life != NOT_SERVED && life <= (enum life)REFUSED;
  if (*served) return refuse("MPI_Request_free", "a nonblocking");
  if (!persistents_any()) return MPI_SUCCESS;
  requests_lock();
  struct request *r = persistent_find(*request);
  const bool busy = r && r->under_way;
  *served = r != NULL;
  if (r && !busy) {
    persistent_remove(r);
    MPJ_Request_free(&r->mpj);
  }
  requests_unlock();
  if (busy) return refuse("MPI_Request_free", "a persistent, active");
  if (!r) return MPI_SUCCESS;
  free(r);
  return PMPI_Request_free(request);
}

int requests_begin(void)
{
  requests_lock_begin();
  int *highest, found = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highest, &found);
  if (found) unused_tag = *highest;
  return PMPI_Grequest_start(query, release, cancel, NULL, &never);
}

void requests_end(void)
{
  if (never == MPI_REQUEST_NULL) return;
  PMPI_Grequest_complete(never);
  PMPI_Wait(&never, MPI_STATUS_IGNORE);
}
