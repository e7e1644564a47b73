/* This header declares a served call's request, and the lock that its keepers and MPJ are under. */
#ifndef MPJ_SRC_MPI_INTERPOSE_REQUEST_H
#define MPJ_SRC_MPI_INTERPOSE_REQUEST_H

#include "mpi/interpose/call.h"

struct request {
  struct request *next; /* in the list of those under way */
  struct request *next_persistent;
  MPI_Request handle;
  MPJ_Request mpj;
  struct call call;
  bool persistent, under_way, untold;
  bool applied; /* MPI is called to combine */
  bool ended;   /* the stand-in has seen its end */
  int status;   /* MPJ's, once it is done */
  int failure;  /* MPI's code of it, which the error handler has heard */
  double begun; /* for the report, as */
  unsigned long bytes;
};

/* One thread at a time calls MPJ, where the program's threads may call MPI at the same time. */
void requests_lock(void);
void requests_unlock(void);
/* False: another thread is there. */
bool requests_try_lock(void);
/* For the children of forks, which begin with the lock let go of. */
void requests_lock_begin(void);

/* Counters that threads read without the lock, and write under it. */
static inline int requests_load(const int *counter)
{
  return __atomic_load_n(counter, __ATOMIC_ACQUIRE);
}
static inline void requests_add(int *counter, int n)
{
  __atomic_fetch_add(counter, n, __ATOMIC_ACQ_REL);
}

#endif
