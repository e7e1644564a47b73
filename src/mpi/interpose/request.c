/* This file keeps the lock of served calls. */
#include "mpi/interpose/request.h"

#include <pthread.h>

/* An error handler that is run under it may call MPI. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void requests_lock(void)
{
  pthread_mutex_lock(&lock);
}

void requests_unlock(void)
{
  pthread_mutex_unlock(&lock);
}

bool requests_try_lock(void)
{
  return pthread_mutex_trylock(&lock) == 0;
}

/* Another thread of the parent's, which the child does not have, may have held it. */
static void renew_lock(void)
{
  lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}

void requests_lock_begin(void)
{
  pthread_atfork(NULL, NULL, renew_lock);
}
