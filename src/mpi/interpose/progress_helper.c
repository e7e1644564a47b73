/* This file is the thread that stands in for a program that does not call MPJ. */
#include "mpi/interpose/progress_helper.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

/* It looks once a period; after LINGER periods without work it sleeps, and must be woken. */
enum { PERIOD_NS = 1000000, LINGER = 50 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static const struct progress_helper_work *work; /* set before the thread begins */
static bool runs, ends;                         /* under the lock */
static int sleeps;                              /* a truth, likewise, but read without it */

/* Until there is something under way, or the end. */
static void sleep_until_needed(void)
{
  pthread_mutex_lock(&lock);
  /* Who begins an operation looks at both the other way round: the order is that of changes to
   * `sleeps`. */
  (void)__atomic_exchange_n(&sleeps, true, __ATOMIC_SEQ_CST);
  while (!ends && !work->under_way())
    pthread_cond_wait(&wanted, &lock);
  __atomic_store_n(&sleeps, false, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
}

static bool at_end(void)
{
  pthread_mutex_lock(&lock);
  const bool end = ends;
  pthread_mutex_unlock(&lock);
  return end;
}

static void *look_after(void *arg)
{
  const struct timespec period = {0, PERIOD_NS};
  for (int idle = 0; !at_end(); idle = work->under_way() ? 0 : idle + 1) {
    if (idle >= LINGER) sleep_until_needed();
    const unsigned polls = work->polls();
    nanosleep(&period, NULL);
    if (work->under_way() && work->polls() == polls) work->progress();
  }
  return arg;
}

/* The program's signals are for its own threads. */
static bool start(void)
{
  sigset_t every, before;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  const bool made = pthread_create(&thread, NULL, look_after, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return made;
}

void progress_helper_needed(const struct progress_helper_work *what)
{
  static bool tried; /* the lock of requests is held */
  if (!tried) {
    tried = true;
    work = what;
    pthread_mutex_lock(&lock);
    runs = start();
    pthread_mutex_unlock(&lock);
  }
  if (!__atomic_fetch_or(&sleeps, 0, __ATOMIC_SEQ_CST)) return;
  pthread_mutex_lock(&lock);
  pthread_cond_signal(&wanted);
  pthread_mutex_unlock(&lock);
}

void progress_helper_end(void)
{
  pthread_mutex_lock(&lock);
  const bool ran = runs;
  ends = true;
  pthread_cond_signal(&wanted);
  pthread_mutex_unlock(&lock);
  if (ran) pthread_join(thread, NULL);
}
