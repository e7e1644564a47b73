/* This file asks the MPI library whether it allows a call. */
#include <pthread.h>

#include "mpi/convert/interop.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Comm quiet = MPI_COMM_NULL;

/* By way of the group: a duplicate would run the callbacks of the program's attributes. */
static MPI_Comm make(void)
{
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Group group;
  if (PMPI_Comm_group(MPI_COMM_SELF, &group)) return MPI_COMM_NULL;
  if (PMPI_Comm_create(MPI_COMM_SELF, group, &made)) made = MPI_COMM_NULL;
  PMPI_Group_free(&group);
  if (made != MPI_COMM_NULL) PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return made;
}

MPI_Comm mpi_quiet(void)
{
  pthread_mutex_lock(&lock);
  if (quiet == MPI_COMM_NULL && mpi_usable() == MPJ_SUCCESS) quiet = make();
  const MPI_Comm made = quiet;
  pthread_mutex_unlock(&lock);
  return made;
}

void mpi_quiet_end(void)
{
  if (quiet != MPI_COMM_NULL) PMPI_Comm_free(&quiet);
}
