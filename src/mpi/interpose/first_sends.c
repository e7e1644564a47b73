/* This file lets the first synchronous or long send of a pair leave before a served call. */
#include "mpi/interpose/first_sends.h"

#ifdef MPICH_NUMVERSION

#include <pthread.h>

#include "mpi/convert/interop.h"
#include "mpi/interpose/waiting.h"

enum { FOLLOWERS = 4, TAG = 1 };
static const double PATIENCE_S = 1; /* a handshake takes some turns of all that share the cores */

static MPI_Comm link = MPI_COMM_NULL; /* what followers go by; set once, as are these */
static MPI_Group world;
static int size;

/* Of what follows; an error handler that is run under it may send. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int *followers;        /* [size] sent so far */
static bool *persistent;      /* [size] there may be persistent sends to it; or NULL */
static MPI_Request *leaving;  /* [nleaving] */
static int nleaving, nwaited; /* the first of them have been waited for */
static bool waits;            /* nwaited < nleaving; atomic */

void first_sends_begin(MPI_Comm all)
{
  MPI_Comm made;
  if (PMPI_Comm_dup(all, &made)) return;
  PMPI_Comm_size(all, &size);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  followers = mpi_array(size, sizeof *followers);
  for (int i = 0; followers && i < size; i++)
    followers[i] = 0;
  link = made;
}

static int world_rank(MPI_Comm comm, int to)
{
  MPI_Group group;
  int between = 0, rank = MPI_UNDEFINED;
  if (comm == MPI_COMM_WORLD) return to;
  if (PMPI_Comm_test_inter(comm, &between)) return MPI_UNDEFINED;
  if (between ? PMPI_Comm_remote_group(comm, &group) : PMPI_Comm_group(comm, &group))
    return MPI_UNDEFINED;
  PMPI_Group_translate_ranks(group, 1, &to, world, &rank);
  PMPI_Group_free(&group);
  return rank;
}

/* The lock is held. */
static void keep(MPI_Request request)
{
  MPI_Request *more = realloc(leaving, (size_t)(nleaving + 1) * sizeof *more);
  if (!more) {
    PMPI_Request_free(&request);
    return;
  }
  leaving = more;
  leaving[nleaving++] = request;
  __atomic_store_n(&waits, true, __ATOMIC_RELAXED);
}

/* The lock is held. */
static void follow(int to)
{
  MPI_Request request;
  int gone = 0;
  if (followers[to] >= FOLLOWERS || PMPI_Isend(NULL, 0, MPI_BYTE, to, TAG, link, &request)) return;
  followers[to]++;
  PMPI_Test(&request, &gone, MPI_STATUS_IGNORE);
  if (!gone) keep(request);
}

void first_sends_note(MPI_Comm comm, int to, const MPI_Request *request)
{
  int gone = 0;
  MPI_Status status;
  if (!followers || to < 0) return;
  if (request && (PMPI_Request_get_status(*request, &gone, &status) || gone)) return;
  const int rank = world_rank(comm, to);
  if (rank < 0 || rank >= size) return;
  pthread_mutex_lock(&lock);
  follow(rank);
  pthread_mutex_unlock(&lock);
}

void first_sends_will(MPI_Comm comm, int to)
{
  const int rank = followers && to >= 0 ? world_rank(comm, to) : MPI_UNDEFINED;
  if (rank < 0 || rank >= size) return;
  pthread_mutex_lock(&lock);
  bool *set = persistent ? persistent : calloc((size_t)size, sizeof *set);
  if (set) set[rank] = true;
  __atomic_store_n(&persistent, set, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&lock);
}

void first_sends_start(void)
{
  if (!__atomic_load_n(&persistent, __ATOMIC_ACQUIRE)) return;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < size; i++)
    if (persistent[i]) follow(i);
  pthread_mutex_unlock(&lock);
}

/* The lock is held. */
static bool have_left(void)
{
  int gone = 1;
  while (gone && nwaited < nleaving) {
    PMPI_Test(&leaving[nleaving - 1], &gone, MPI_STATUS_IGNORE);
    nleaving -= gone;
  }
  return nwaited == nleaving;
}

void first_sends_leave(void)
{
  if (!__atomic_load_n(&waits, __ATOMIC_RELAXED)) return;
  const double until = PMPI_Wtime() + PATIENCE_S;
  pthread_mutex_lock(&lock);
  while (!have_left() && PMPI_Wtime() < until)
    wait_a_little();
  nwaited = nleaving;
  __atomic_store_n(&waits, false, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
}

void first_sends_end(void)
{
  int came = 0;
  if (!followers) return;
  PMPI_Reduce_scatter_block(followers, &came, 1, MPI_INT, MPI_SUM, link);
  while (came-- > 0)
    PMPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, TAG, link, MPI_STATUS_IGNORE);
  for (int i = 0; i < nleaving; i++)
    PMPI_Wait(&leaving[i], MPI_STATUS_IGNORE);
  free(leaving);
  free(persistent);
  free(followers);
  followers = NULL;
  PMPI_Group_free(&world);
  PMPI_Comm_free(&link);
}

#else

void first_sends_begin(MPI_Comm all)
{
  (void)all;
}

void first_sends_note(MPI_Comm comm, int to, const MPI_Request *request)
{
  (void)comm, (void)to, (void)request;
}

void first_sends_will(MPI_Comm comm, int to)
{
  (void)comm, (void)to;
}

void first_sends_start(void)
{
}

void first_sends_leave(void)
{
}

void first_sends_end(void)
{
}

#endif
