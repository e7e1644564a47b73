/* This file keeps the MPI communicator of one of ours as an attribute of it. */
#include <pthread.h>

#include "mpi/convert/comm.h"

struct link {
  MPI_Comm mpi;
  bool ours; /* made for it, and freed with it */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the key */
static int key = MPJ_KEYVAL_INVALID;

/* MPJ calls it when the communicator is freed, or the MPI one was. */
static int forget(MPJ_Comm comm, int keyval, void *value, void *extra_state)
{
  struct link *l = value;
  (void)comm, (void)keyval, (void)extra_state;
  if (l->ours && l->mpi != MPI_COMM_NULL && mpi_usable() == MPJ_SUCCESS) {
    MPI_Comm mpi = l->mpi;
    l->mpi = MPI_COMM_NULL;
    PMPI_Comm_free(&mpi);
  }
  free(l);
  return MPJ_SUCCESS;
}

static int make_key(void)
{
  int status = MPJ_SUCCESS;
  pthread_mutex_lock(&lock);
  if (key == MPJ_KEYVAL_INVALID) status = MPJ_Comm_create_keyval(NULL, forget, &key, NULL);
  pthread_mutex_unlock(&lock);
  return status;
}

static struct link *look(MPJ_Comm comm)
{
  void *value = NULL;
  int found = 0;
  if (key == MPJ_KEYVAL_INVALID || MPJ_Comm_get_attr(comm, key, &value, &found)) return NULL;
  return found ? value : NULL;
}

int mpi_comm_link(MPJ_Comm comm, MPI_Comm mpi, bool ours)
{
  int status = make_key();
  if (status) return status;
  struct link *l = malloc(sizeof *l);
  if (!l) return mpi_report(MPJ_ERR_NO_MEM, "no memory for a communicator");
  *l = (struct link){mpi, ours};
  status = MPJ_Comm_set_attr(comm, key, l);
  if (status) free(l);
  return status;
}

void mpi_comm_unlink(MPJ_Comm comm)
{
  struct link *l = look(comm);
  if (!l || l->mpi == MPI_COMM_NULL) return; /* it is gone with comm */
  l->mpi = MPI_COMM_NULL;
  MPJ_Comm_delete_attr(comm, key);
}

bool mpi_comm_linked(MPJ_Comm comm, MPI_Comm *mpi)
{
  const struct link *l = look(comm);
  if (l) *mpi = l->mpi;
  return l;
}
