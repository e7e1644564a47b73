/* This header declares the lock of a rank: the lock under which threads that share a
 * rank use it, one at a time. A rank that has only one thread has its lock open, and
 * nobody looks at the lock.
 *
 *   state     event                                     next
 *   FREE      a thread calls the library                HELD by it, depth 1
 *   HELD      the holder calls again (in a callback)    HELD, depth + 1
 *   HELD      the holder's call returns                 depth - 1; at 0 FREE
 *   HELD      the holder has nothing to do: it pauses   FREE, the depth kept by the pauser
 *   FREE      a pause ends                              HELD by the pauser, its depth again
 *
 * Whoever holds the lock polls, and what it finds may end what others wait for. So a
 * holder that found news rouses those who sleep when it lets go. */
#ifndef MPJ_SRC_COLL_THREADS_RANK_LOCK_H
#define MPJ_SRC_COLL_THREADS_RANK_LOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct mpj_context;
struct mpj_net;

/* Who takes over when the last thread inside leaves, the progress thread: whether it should, asked
 * while the lock is held; and let it know, when the lock is held no longer. */
struct mpj_rank_lock_heir {
  bool (*is_wanted)(const struct mpj_context *context);
  void (*ring)(struct mpj_context *context);
};

struct mpj_rank_lock {
  bool closed;    /* several threads: set before the second one comes */
  bool news;      /* the holder has moved something that others may wait for */
  bool slept;     /* who was woken has ended without a poll of its own, perhaps */
  bool unsettled; /* what was sent may not have left yet: the last one out sees to it */
  unsigned depth;
  const struct mpj_rank_lock_heir *heir; /* NULL: nobody */
  pthread_mutex_t mutex;
  const void *_Atomic holder; /* a mark of its thread, NULL: nobody */
  _Atomic unsigned wanted;    /* threads that wait for the lock */
  _Atomic unsigned inside;    /* threads in a call, waiting ones too, but the progress thread */
  _Atomic unsigned calls;     /* that have begun, modulo 2^32 */
};

#endif
