/* This file converts a program's communicators, each in its first blocking collective: the program
 * makes them at the MPI library's own cost, and those that see no collective cost nothing. */
#include "mpi/convert/comm.h"

#include <pthread.h>
#include <stdint.h>
#include <time.h>

#include "mpi/interpose/begun.h"
#include "mpi/interpose/begin.h"
#include "mpi/interpose/comms.h"
#include "mpi/interpose/request.h"
#include "mpi/interpose/requests.h"
#include "mpi/interpose/waiting.h"

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

/* The least of the members' numbers; others get the processor meanwhile where it is short. */
static int least(int mine, MPI_Comm comm)
{
  MPI_Request request;
  int all = 0, done = 0;
  if (PMPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm, &request)) return 0;
  while (!done && PMPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS)
    wait_a_little();
  return all;
}

/* Wait for the lock for 1 to 4 ms, each time another time. */
static bool lock_in_time(MPI_Comm comm)
{
  static uint32_t draws; /* atomic */
  const uint32_t draw = __atomic_add_fetch(&draws, (uint32_t)(uintptr_t)comm | 1, __ATOMIC_RELAXED);
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += 1000000 + (draw * UINT32_C(2654435761) >> 10) % 3000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  return pthread_mutex_clocklock(&making, CLOCK_MONOTONIC, &until) == 0;
}

/* Of several threads in collectives on new communicators, one at a time converts its: they would
 * wait for each other, in another order on another rank. In such a circle the first one that
 * waits no longer ends its communicator's try, which lets another's go on. All members of the
 * communicator hear whether all may. True: the lock is held. */
static bool may_convert(MPI_Comm comm)
{
  if (!threads_many()) return true;
  const bool mine = lock_in_time(comm);
  const bool all = least(mine, comm) != 0;
  if (mine && !all) pthread_mutex_unlock(&making);
  return all;
}

/* False: another thread converts one, here or on another rank; nothing was tried. */
static bool convert(MPI_Comm comm)
{
  MPJ_Comm made;
  if (!may_convert(comm)) return false;
  requests_lock();
  MPJ_Comm_from_mpi(comm, &made);
  requests_unlock();
  if (threads_many()) pthread_mutex_unlock(&making);
  return true;
}

/* An attribute of those whose conversion failed, or has to wait: how many blocking collectives they
 * have seen. */
static int failed = MPI_KEYVAL_INVALID;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void)
{
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &failed, NULL);
}

bool comms_may_adopt(MPI_Comm comm)
{
  int between = 0;
  return interposer_serves() && !PMPI_Comm_test_inter(comm, &between) && !between;
}

/* Threads that convert communicators wait for each other, and use the cores that the others wait
 * on: milliseconds each, for what a few collectives on one that is freed then do not give back. */
enum { FEW_CALLS = 4 };

/* Want of room passes: it is tried again in the calls 1, 2, 4, 8 and so on after a failure, as the
 * ranks count alike. Another thread's conversion passes soon: it is tried again in the next call. */
bool comms_adopt(MPI_Comm comm, bool lasts, bool *soon)
{
  *soon = false;
  void *value = NULL;
  int found = 0;
  if (!interposer_has_begun()) interposer_begin_late(comm);
  if (!comms_may_adopt(comm)) return false;
  if (mpi_comm_look(comm)) return true; /* it has just begun */
  pthread_once(&once, make_key);
  if (PMPI_Comm_get_attr(comm, failed, &value, &found)) return false;
  const uintptr_t calls = found ? (uintptr_t)value : 0;
  const bool new = threads_many() && calls <= FEW_CALLS;
  if (new && calls < FEW_CALLS && !lasts) {
    *soon = true;
    PMPI_Comm_set_attr(comm, failed, (void *)(calls + 1));
    return false;
  }
  *soon = (new || (calls & (calls - 1)) == 0) && !convert(comm);
  if (*soon) return false;
  if (mpi_comm_look(comm)) {
    if (found) PMPI_Comm_delete_attr(comm, failed);
    return true;
  }
  PMPI_Comm_set_attr(comm, failed, (void *)(calls + 1));
  return false;
}

/* What is under way on it ends first, as its conversion goes with it. */
static void prepare_to_free(const MPI_Comm *comm)
{
  if (!comm || *comm == MPI_COMM_NULL) return;
  requests_drain(*comm);
  requests_lock();
  mpi_comm_give_up(*comm);
  requests_unlock();
}

int MPI_Comm_free(MPI_Comm *comm)
{
  prepare_to_free(comm);
  return PMPI_Comm_free(comm);
}

int MPI_Comm_disconnect(MPI_Comm *comm)
{
  prepare_to_free(comm);
  return PMPI_Comm_disconnect(comm);
}
