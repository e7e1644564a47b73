/* This file frees operations when no served call can need them any more. */
#include <pthread.h>

#include "mpi/interpose/arguments/ops.h"

struct leaving {
  struct leaving *next;
  MPI_Op op;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct leaving *leaving;

void ops_release(void)
{
  if (!__atomic_load_n(&leaving, __ATOMIC_RELAXED)) return;
  pthread_mutex_lock(&lock);
  struct leaving *l = leaving;
  leaving = NULL;
  pthread_mutex_unlock(&lock);
  while (l) {
    struct leaving *next = l->next;
    PMPI_Op_free(&l->op);
    free(l);
    l = next;
  }
}

int ops_free_later(MPI_Op *op)
{
  struct leaving *l = malloc(sizeof *l);
  if (!l) return PMPI_Op_free(op);
  l->op = *op;
  *op = MPI_OP_NULL;
  pthread_mutex_lock(&lock);
  l->next = leaving;
  leaving = l;
  pthread_mutex_unlock(&lock);
  return MPI_SUCCESS;
}
