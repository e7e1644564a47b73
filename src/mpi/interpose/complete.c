/* This file is MPI's calls that complete, or look for what has come: they let MPJ progress while
 * they wait, ask MPI again where a served call has kept it from progressing, keep served
 * persistent requests that are under way from MPI, which would find them inactive, and return the
 * failures of served requests, of which MPI knows nothing. */
#include "mpi/interpose/waiting.h"

#include <sched.h>

#include "mpi/interpose/first_sends.h"
#include "mpi/interpose/persistents.h"
#include "mpi/interpose/requests.h"

/* Whether MPI's own waiting will not do. */
static bool must_poll(void)
{
  return requests_under_way() || requests_untold() || wait_yields();
}

/* A look at n requests costs as much as n of MPJ's, so as many of these come between two. */
static void wait_between(int n)
{
  enum { WORTH = 16 };
  int turns = n / WORTH;
  do
    wait_a_little();
  while (turns-- > 0 && requests_under_way());
}

/* code := call, again as long as `none` of what it asks for is there and MPI is behind. */
#define ASK(code, call, none)                                                                      \
  requests_ask();                                                                                  \
  for (int looks = 0; !((code) = (call)) && (none) && must_look_again(&looks);)                    \
    ;

/* What a call that has completed this request returns; the status may be ignored. */
static int outcome(MPI_Request request, MPI_Status *status, bool told)
{
  const int failure = requests_told(request, told), other = requests_failed(NULL);
  if (other && status != MPI_STATUS_IGNORE) requests_failed(status); /* puts its tag right */
  return failure ? failure : other;
}

/* Which of n requests have failed: of those that are complete, their statuses may be ignored. */
static void tell(int n, const MPI_Request requests[], const int indices[], MPI_Status statuses[],
                 int *code)
{
  const bool ignored = statuses == MPI_STATUSES_IGNORE, some = *code == MPI_ERR_IN_STATUS;
  for (int i = 0; i < n; i++) {
    if (some && !ignored && statuses[i].MPI_ERROR == MPI_ERR_PENDING) continue;
    int failure = requests_told(requests[indices ? indices[i] : i], true);
    if (!failure) failure = requests_failed(ignored ? NULL : &statuses[i]);
    if (!failure) continue;
    for (int k = 0; k < n && !ignored && *code == MPI_SUCCESS; k++)
      statuses[k].MPI_ERROR = MPI_SUCCESS;
    *code = MPI_ERR_IN_STATUS;
    if (!ignored) statuses[i].MPI_ERROR = failure;
  }
}

/* What a call that has completed n of the requests returns, after MPI's own code: all of them
 * without indices. */
static int outcomes(int code, int n, const MPI_Request requests[], const int indices[],
                    MPI_Status statuses[])
{
  if (code && code != MPI_ERR_IN_STATUS) return code;
  if (n > 0 && (requests_untold() || requests_failed(NULL)))
    tell(n, requests, indices, statuses, &code);
  return code;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
  if (!flag) return PMPI_Test(request, flag, status); /* wrong, as are the like below */
  requests_poll();
  if (request && requests_pending(*request)) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  const MPI_Request tested = request ? *request : MPI_REQUEST_NULL;
  int code;
  ASK(code, PMPI_Test(request, flag, status), !*flag)
  return code || !*flag ? code : outcome(tested, status, true);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
  int done = 0, code = MPI_SUCCESS;
  if (!must_poll()) {
    requests_ask();
    code = PMPI_Wait(request, status);
    return code ? code : outcome(MPI_REQUEST_NULL, status, true);
  }
  for (;;) {
    code = MPI_Test(request, &done, status);
    if (code || done) return code;
    wait_a_little();
  }
}

int MPI_Testall(int n, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
  if (!flag) return PMPI_Testall(n, requests, flag, statuses);
  requests_poll();
  if (requests && requests_any_pending(n, requests)) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  int code;
  ASK(code, PMPI_Testall(n, requests, flag, statuses), !*flag)
  return code || *flag ? outcomes(code, n, requests, NULL, statuses) : code;
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[])
{
  int done = 0;
  if (!must_poll()) {
    requests_ask();
    return outcomes(PMPI_Waitall(n, requests, statuses), n, requests, NULL, statuses);
  }
  for (;;) {
    const int code = MPI_Testall(n, requests, &done, statuses);
    if (code || done) return code;
    wait_between(n);
  }
}

/* The array with pending requests replaced by one that is never complete; the array itself
 * where there are none. */
static MPI_Request *shown(int n, MPI_Request requests[])
{
  if (!requests || !requests_any_pending(n, requests)) return requests;
  MPI_Request *copy = mpi_array(n, sizeof *copy);
  for (int i = 0; copy && i < n; i++)
    copy[i] = requests_pending(requests[i]) ? requests_never() : requests[i];
  return copy ? copy : requests;
}

/* Take over what MPI changed. */
static void take_back(int n, MPI_Request requests[], MPI_Request *copy)
{
  if (copy == requests) return;
  for (int i = 0; i < n; i++)
    if (copy[i] != requests_never()) requests[i] = copy[i];
  free(copy);
}

/* MPI looks at all requests before the one that it finds: of thousands, that would take longer than
 * all else. So those are asked first that follow the last one that was found in the array. */
static int test_any(int n, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
  enum { FIRST = 64 };
  static _Thread_local const MPI_Request *array;
  static _Thread_local int next;
  const int begin = array == requests && next < n ? next : 0;
  const int middle = n - begin > FIRST ? begin + FIRST : n;
  const int from[] = {begin, middle, 0}, to[] = {middle, n, begin};
  bool active = false;
  if (n <= FIRST || !requests) return PMPI_Testany(n, requests, index, flag, status);
  for (int part = 0; part < 3; part++) {
    int at = MPI_UNDEFINED, found = 0;
    if (from[part] == to[part]) continue;
    const int code =
        PMPI_Testany(to[part] - from[part], requests + from[part], &at, &found, status);
    active |= !found;
    if (at < 0 && !code) continue;
    *flag = found;
    *index = at < 0 ? at : from[part] + at;
    array = requests;
    next = *index < 0 ? 0 : *index + 1;
    return code;
  }
  *flag = !active;
  *index = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int MPI_Testany(int n, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
  if (!index || !flag) return PMPI_Testany(n, requests, index, flag, status);
  requests_poll();
  const int ready = requests ? requests_find_untold(n, requests) : -1;
  if (ready >= 0) { /* MPICH 4.0.2 overlooks persistent ones here */
    *index = ready;
    return MPI_Test(&requests[ready], flag, status);
  }
  MPI_Request *copy = shown(n, requests);
  int code;
  ASK(code, test_any(n, copy, index, flag, status), !*flag)
  take_back(n, requests, copy);
  return code || !*flag || *index < 0 ? code : outcome(requests[*index], status, true);
}

int MPI_Waitany(int n, MPI_Request requests[], int *index, MPI_Status *status)
{
  int done = 0;
  if (!must_poll() || !index) {
    requests_ask();
    const int code = PMPI_Waitany(n, requests, index, status);
    return code ? code : outcome(MPI_REQUEST_NULL, status, true);
  }
  for (;;) {
    const int code = MPI_Testany(n, requests, index, &done, status);
    if (code || done) return code;
    wait_between(n);
  }
}

/* Complete the served persistent ones that are: MPICH 4.0.2 overlooks them where it is asked for
 * some. Returns how many. */
static int test_untold(int n, MPI_Request requests[], int indices[], MPI_Status statuses[])
{
  int found = 0, flag;
  for (int i = 0, at; i < n && (at = requests_find_untold(n - i, requests + i)) >= 0; i += at + 1) {
    PMPI_Test(&requests[i + at], &flag,
              statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[found]);
    indices[found++] = i + at;
  }
  return found;
}

/* An answer of some is asked again, too: MPI would have seen all that had come. */
static int test_some(int n, MPI_Request requests[], int *ndone, int indices[],
                     MPI_Status statuses[])
{
  const int step = statuses == MPI_STATUSES_IGNORE ? 0 : 1;
  int found = test_untold(n, requests, indices, statuses), more = 0, code;
  for (int looks = 0;; found += more) {
    code = PMPI_Testsome(n, requests, &more, indices + found, statuses + found * step);
    if (more == MPI_UNDEFINED || code || found + more == n || !must_look_again(&looks)) break;
  }
  for (int i = 0; code == MPI_ERR_IN_STATUS && i < found * step; i++)
    statuses[i].MPI_ERROR = MPI_SUCCESS;
  if (more != MPI_UNDEFINED) found += more;
  *ndone = found > 0 ? found : more;
  return code;
}

int MPI_Testsome(int n, MPI_Request requests[], int *ndone, int indices[], MPI_Status statuses[])
{
  if (!ndone || !indices) return PMPI_Testsome(n, requests, ndone, indices, statuses);
  requests_poll();
  MPI_Request *copy = shown(n, requests);
  requests_ask();
  const int code = test_some(n, copy, ndone, indices, statuses);
  take_back(n, requests, copy);
  return outcomes(code, *ndone, requests, indices, statuses);
}

int MPI_Waitsome(int n, MPI_Request requests[], int *ndone, int indices[], MPI_Status statuses[])
{
  if (!ndone || !indices) return PMPI_Waitsome(n, requests, ndone, indices, statuses);
  if (!must_poll()) {
    requests_ask();
    const int code = PMPI_Waitsome(n, requests, ndone, indices, statuses);
    return outcomes(code, *ndone, requests, indices, statuses);
  }
  for (;;) {
    const int code = MPI_Testsome(n, requests, ndone, indices, statuses);
    if (code || *ndone != 0) return code; /* MPI_UNDEFINED: there is none to wait for */
    wait_between(n);
  }
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
  if (!flag) return PMPI_Request_get_status(request, flag, status);
  requests_poll();
  if (requests_pending(request)) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  int code;
  ASK(code, PMPI_Request_get_status(request, flag, status), !*flag)
  return code || !*flag ? code : outcome(request, status, false);
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
  int code;
  if (!flag) return PMPI_Iprobe(from, tag, comm, flag, status);
  requests_poll();
  ASK(code, PMPI_Iprobe(from, tag, comm, flag, status), !*flag)
  return code;
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                MPI_Status *status)
{
  int code;
  if (!flag) return PMPI_Improbe(from, tag, comm, flag, message, status);
  requests_poll();
  ASK(code, PMPI_Improbe(from, tag, comm, flag, message, status), !*flag)
  return code;
}

int MPI_Win_test(MPI_Win win, int *flag)
{
  int code;
  if (!flag) return PMPI_Win_test(win, flag);
  requests_poll();
  ASK(code, PMPI_Win_test(win, flag), !*flag)
  return code;
}

int MPI_Request_free(MPI_Request *request)
{
  bool served = false;
  const int code = request ? requests_free(request, &served) : MPI_SUCCESS;
  return served ? code : PMPI_Request_free(request);
}

int MPI_Cancel(MPI_Request *request)
{
  const int code = request ? requests_cancel(*request) : MPI_SUCCESS;
  return code ? code : PMPI_Cancel(request);
}

int MPI_Start(MPI_Request *request)
{
  bool served = false;
  const int code = request ? requests_restart(*request, &served) : MPI_SUCCESS;
  if (served) return code;
  const int started = PMPI_Start(request);
  first_sends_start();
  return started;
}

int MPI_Startall(int n, MPI_Request requests[])
{
  int code = MPI_SUCCESS;
  if (n < 0 || !requests) return PMPI_Startall(n, requests);
  for (int i = 0; i < n && !code; i++)
    code = MPI_Start(&requests[i]);
  return code;
}
