/* This header declares locking for short sections that start no thread: while the
 * process has only one, it is free. */
#ifndef MPJ_SRC_BASE_LOCK_H
#define MPJ_SRC_BASE_LOCK_H

#include <pthread.h>
#include <stdbool.h>

#if defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define MPJ_HAVE_SINGLE_THREADED 1
#endif
#endif

/* Whether no other thread exists (glibc's flag); false where that cannot be told. */
static inline bool mpj_single_threaded(void)
{
#ifdef MPJ_HAVE_SINGLE_THREADED
  return __libc_single_threaded;
#else
  return false;
#endif
}

/* Take the mutex if another thread could; pass what it returns to mpj_unlock. */
static inline bool mpj_lock(pthread_mutex_t *mutex)
{
  if (mpj_single_threaded()) return false;
  pthread_mutex_lock(mutex);
  return true;
}

static inline void mpj_unlock(pthread_mutex_t *mutex, bool taken)
{
  if (taken) pthread_mutex_unlock(mutex);
}

#endif
