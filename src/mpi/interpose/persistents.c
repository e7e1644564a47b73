/* This file keeps the served persistent requests. */
#include "mpi/interpose/persistents.h"

static struct request *persistents;
static int npending, npersistent, nuntold; /* atomic; written under the lock */

bool persistents_any(void)
{
  return requests_load(&npersistent) > 0;
}

void persistent_add(struct request *r)
{
  r->next_persistent = persistents;
  persistents = r;
  requests_add(&npersistent, 1);
}

void persistent_remove(struct request *r)
{
  struct request **at = &persistents;
  while (*at != r)
    at = &(*at)->next_persistent;
  *at = r->next_persistent;
  requests_add(&npersistent, -1);
  if (r->untold) requests_add(&nuntold, -1);
  r->untold = false;
}

void persistent_started(void)
{
  requests_add(&npending, 1);
}

void persistent_ended(struct request *r)
{
  PMPI_Start(&r->handle);
  r->untold = true;
  requests_add(&nuntold, 1);
  requests_add(&npending, -1); /* last: who finds none does not ask for the lock */
}

void persistents_leave(MPI_Comm comm)
{
  for (struct request *r = persistents; r; r = r->next_persistent)
    if (r->call.mpi_comm == comm) r->call.mpi_comm = MPI_COMM_SELF;
}

struct request *persistent_find(MPI_Request handle)
{
  struct request *r = persistents;
  while (r && r->handle != handle)
    r = r->next_persistent;
  return r;
}

bool requests_pending(MPI_Request request)
{
  if (requests_load(&npending) == 0) return false;
  requests_lock();
  const struct request *r = persistent_find(request);
  const bool pending = r && r->under_way;
  requests_unlock();
  return pending;
}

bool requests_any_pending(int n, const MPI_Request requests[])
{
  if (requests_load(&npending) == 0) return false;
  for (int i = 0; i < n; i++)
    if (requests_pending(requests[i])) return true;
  return false;
}

bool requests_untold(void)
{
  return requests_load(&nuntold) > 0;
}

int requests_find_untold(int n, const MPI_Request requests[])
{
  int found = -1;
  if (!requests_untold()) return found;
  requests_lock();
  for (int i = 0; i < n && found < 0; i++) {
    const struct request *r = persistent_find(requests[i]);
    if (r && r->untold) found = i;
  }
  requests_unlock();
  return found;
}

int requests_told(MPI_Request request, bool told)
{
  int failure = MPI_SUCCESS;
  if (!requests_untold()) return failure;
  requests_lock();
  struct request *r = persistent_find(request);
  if (r && r->untold) {
    failure = r->failure;
    r->untold = !told;
    if (told) requests_add(&nuntold, -1);
  }
  requests_unlock();
  return failure;
}
