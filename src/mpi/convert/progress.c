/* This file lets MPI move on while a rank waits in MPJ: a probe for a message that nobody
 * sends, in which every MPI library looks after all that is under way. */
#include <mpj/peers.h>

#include "mpi/convert/interop.h"

static int level;                 /* of threads that MPI takes */
static int unused_tag = 0;        /* the highest there is */
static _Thread_local bool within; /* a call of MPI's, by the program */

/* MPI may be called now, on this thread: no other of this rank is in it, or that is allowed. */
static bool may_call(void)
{
  int is_main = 0;
  if (level == MPI_THREAD_MULTIPLE || within) return true;
  if (level == MPI_THREAD_SERIALIZED) return false;
  return !PMPI_Is_thread_main(&is_main) && is_main;
}

static void move_on(void *ctx)
{
  int found;
  (void)ctx;
  if (may_call())
    PMPI_Iprobe(MPI_ANY_SOURCE, unused_tag, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

void mpi_progress_inside(bool inside)
{
  within = inside;
}

int mpi_progress_begin(void)
{
  int *highest, found;
  PMPI_Query_thread(&level);
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highest, &found);
  if (found) unused_tag = *highest;
  return MPJ_Progress_also(move_on, NULL);
}

void mpi_progress_end(void)
{
  MPJ_Progress_also(NULL, NULL);
}
