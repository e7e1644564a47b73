/* This file is the progress thread. */
#include "coll/threads/progress_thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/status.h"
#include "coll/comm/context.h"
#include "coll/run/engine.h"
#include "coll/run/wait_turn.h"
#include "coll/threads/rank_lock_pass.h"

/* Polls without news before it sleeps; the longest sleeps with and without operations
 * under way; how long it stays aside. */
enum { POLLS = 16, BUSY_US = 500, QUIET_US = 10000, ASIDE_NS = 1000000 };

struct mpj_progress {
  struct mpj_context *context;
  pthread_t thread;
  pthread_mutex_t mutex; /* of what follows */
  pthread_cond_t bell;
  bool rung;
  _Atomic bool aside; /* it waits at the bell, or is about to */
  _Atomic bool stop;
};

static bool has_company(const struct mpj_rank_lock *lock, unsigned calls)
{
  return atomic_load(&lock->inside) > 0 || atomic_load(&lock->calls) != calls;
}

/* Wait until rung, or for a while. */
static void wait_aside(struct mpj_progress *p)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += ASIDE_NS;
  if (until.tv_nsec >= 1000000000) {
    until.tv_sec++;
    until.tv_nsec -= 1000000000;
  }
  pthread_mutex_lock(&p->mutex);
  while (!p->rung && !atomic_load(&p->stop))
    if (pthread_cond_timedwait(&p->bell, &p->mutex, &until) == ETIMEDOUT) break;
  p->rung = false;
  pthread_mutex_unlock(&p->mutex);
}

/* Stay aside until the others have been outside for a while, or said so. Returns the
 * count of calls at that time. */
static unsigned stay_aside(struct mpj_progress *p)
{
  const struct mpj_rank_lock *lock = &p->context->lock;
  unsigned calls;
  do {
    calls = atomic_load(&lock->calls);
    atomic_store(&p->aside, true);
    wait_aside(p);
  } while (!atomic_load(&p->stop) && has_company(lock, calls) && atomic_load(&p->aside));
  atomic_store(&p->aside, false);
  return atomic_load(&lock->calls);
}

/* How long a sleep may last: not everything that an operation waits for rings. */
static long sleep_us(const struct mpj_context *context)
{
  return mpj_context_is_busy(context) ? BUSY_US : QUIET_US;
}

/* Poll and sleep while nobody else is inside. */
static void be_active(struct mpj_progress *p, unsigned calls)
{
  struct mpj_context *context = p->context;
  struct mpj_pause pause = {0};
  unsigned misses = 0, sleeps = 0;
  mpj_rank_lock_acquire(&context->lock);
  while (!atomic_load(&p->stop) && !has_company(&context->lock, calls)) {
    if (mpj_wait_turn(context, &pause)) {
      misses = sleeps = 0;
      mpj_rank_lock_pass(context);
    } else if (++misses > POLLS) {
      mpj_net_doze(context->net, &sleeps, sleep_us(context));
      mpj_wait_watch(context);
    }
  }
  mpj_rank_lock_release(context);
}

static void *main_of(void *arg)
{
  struct mpj_progress *p = arg;
  mpj_context_bind_thread(p->context);
  while (!atomic_load(&p->stop))
    be_active(p, stay_aside(p));
  mpj_context_bind_thread(NULL);
  return NULL;
}

static bool is_wanted(const struct mpj_context *context)
{
  const struct mpj_progress *p = context->progress;
  return p && atomic_load(&p->aside) && mpj_context_is_busy(context);
}

static void ring(struct mpj_progress *p)
{
  atomic_store(&p->aside, false);
  pthread_mutex_lock(&p->mutex);
  p->rung = true;
  pthread_cond_signal(&p->bell);
  pthread_mutex_unlock(&p->mutex);
}

static void ring_of(struct mpj_context *context)
{
  ring(context->progress);
}

static const struct mpj_rank_lock_heir heir = {is_wanted, ring_of};

/* Under a real-time policy it comes before who computes: at the same priority it would
 * never run beside them. Elsewhere whoever wakes up comes soon enough. */
static bool asks_for_precedence(pthread_attr_t *attributes)
{
  struct sched_param param;
  int policy;
  if (pthread_getschedparam(pthread_self(), &policy, &param) != 0) return false;
  if (policy != SCHED_FIFO && policy != SCHED_RR) return false;
  if (param.sched_priority < sched_get_priority_max(policy)) param.sched_priority++;
  pthread_attr_setinheritsched(attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(attributes, policy);
  pthread_attr_setschedparam(attributes, &param);
  return true;
}

static int create(struct mpj_progress *p)
{
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  int failed = EPERM;
  if (asks_for_precedence(&attributes))
    failed = pthread_create(&p->thread, &attributes, main_of, p);
  if (failed != 0) failed = pthread_create(&p->thread, NULL, main_of, p);
  pthread_attr_destroy(&attributes);
  return failed;
}

/* Signals are for the application's threads. */
static int start(struct mpj_progress *p)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = create(p);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failed;
}

static void release(struct mpj_progress *p)
{
  pthread_cond_destroy(&p->bell);
  pthread_mutex_destroy(&p->mutex);
  mpj_free(p);
}

int mpj_progress_begin(struct mpj_context *context)
{
  pthread_condattr_t monotonic;
  if (!context->net) return MPJ_SUCCESS;
  struct mpj_progress *p = mpj_alloc_array(1, sizeof *p);
  if (!p) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a progress thread");
  p->context = context;
  pthread_mutex_init(&p->mutex, NULL);
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&p->bell, &monotonic);
  pthread_condattr_destroy(&monotonic);
  context->progress = p;
  context->lock.heir = &heir;
  const int failed = start(p);
  if (failed == 0) return MPJ_SUCCESS;
  context->lock.heir = NULL;
  context->progress = NULL;
  release(p);
  return mpj_error(MPJ_ERR_NO_MEM, "a progress thread could not be started: %s", strerror(failed));
}

void mpj_progress_end(struct mpj_context *context)
{
  struct mpj_progress *p = context->progress;
  if (!p) return;
  atomic_store(&p->stop, true);
  ring(p);
  mpj_net_wake(context->net, context->net->rank);
  pthread_join(p->thread, NULL);
  context->lock.heir = NULL;
  context->progress = NULL;
  release(p);
}
