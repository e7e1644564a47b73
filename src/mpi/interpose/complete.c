/* This file is MPI's completion calls: they let MPJ progress while they wait, and keep served
 * persistent requests that are under way from MPI, which would find them inactive. */
#include "mpi/interpose/complete.h"

#include <sched.h>

#include "mpi/interpose/requests.h"

void wait_a_little(void)
{
  requests_poll();
  if (wait_yields()) sched_yield();
}

/* Whether MPI's own waiting will not do. */
static bool must_poll(void)
{
  return requests_under_way() || requests_untold() || wait_yields();
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
  requests_poll();
  if (request && requests_pending(*request)) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  const MPI_Request tested = request ? *request : MPI_REQUEST_NULL;
  const int code = PMPI_Test(request, flag, status);
  if (!code && *flag) requests_told(tested);
  return code;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
  int done = 0, code = MPI_SUCCESS;
  if (!must_poll()) return PMPI_Wait(request, status);
  for (;;) {
    code = MPI_Test(request, &done, status);
    if (code || done) return code;
    wait_a_little();
  }
}

int MPI_Testall(int n, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
  requests_poll();
  if (requests && requests_any_pending(n, requests)) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  const bool untold = requests && requests_find_untold(n, requests) >= 0;
  const int code = PMPI_Testall(n, requests, flag, statuses);
  if (untold && !code && *flag)
    for (int i = 0; i < n; i++)
      requests_told(requests[i]); /* the others are gone */
  return code;
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[])
{
  int done = 0;
  if (!must_poll()) return PMPI_Waitall(n, requests, statuses);
  for (;;) {
    const int code = MPI_Testall(n, requests, &done, statuses);
    if (code || done) return code;
    wait_a_little();
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

int MPI_Testany(int n, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
  requests_poll();
  const int ready = requests ? requests_find_untold(n, requests) : -1;
  if (ready >= 0) { /* MPICH 4.0.2 overlooks persistent ones here */
    *index = ready;
    return MPI_Test(&requests[ready], flag, status);
  }
  MPI_Request *copy = shown(n, requests);
  const int code = PMPI_Testany(n, copy, index, flag, status);
  take_back(n, requests, copy);
  return code;
}

int MPI_Waitany(int n, MPI_Request requests[], int *index, MPI_Status *status)
{
  int done = 0;
  if (!must_poll()) return PMPI_Waitany(n, requests, index, status);
  for (;;) {
    const int code = MPI_Testany(n, requests, index, &done, status);
    if (code || done) return code;
    wait_a_little();
  }
}

int MPI_Testsome(int n, MPI_Request requests[], int *ndone, int indices[], MPI_Status statuses[])
{
  requests_poll();
  MPI_Request *copy = shown(n, requests);
  const int code = PMPI_Testsome(n, copy, ndone, indices, statuses);
  take_back(n, requests, copy);
  for (int i = 0; !code && i < *ndone; i++)
    requests_told(requests[indices[i]]);
  return code;
}

int MPI_Waitsome(int n, MPI_Request requests[], int *ndone, int indices[], MPI_Status statuses[])
{
  if (!must_poll()) return PMPI_Waitsome(n, requests, ndone, indices, statuses);
  for (;;) {
    const int code = MPI_Testsome(n, requests, ndone, indices, statuses);
    if (code || *ndone != 0) return code; /* MPI_UNDEFINED: there is none to wait for */
    wait_a_little();
  }
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
  requests_poll();
  if (requests_pending(request)) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  return PMPI_Request_get_status(request, flag, status);
}

int MPI_Request_free(MPI_Request *request)
{
  bool served = false;
  const int code = request ? requests_free(request, &served) : MPI_SUCCESS;
  return served ? code : PMPI_Request_free(request);
}

int MPI_Start(MPI_Request *request)
{
  bool served = false;
  const int code = request ? requests_restart(*request, &served) : MPI_SUCCESS;
  return served ? code : PMPI_Start(request);
}

int MPI_Startall(int n, MPI_Request requests[])
{
  int code = MPI_SUCCESS;
  if (n < 0 || !requests) return PMPI_Startall(n, requests);
  for (int i = 0; i < n && !code; i++)
    code = MPI_Start(&requests[i]);
  return code;
}
