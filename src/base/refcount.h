/* This header declares reference counts: atomic, but without a locked instruction
 * while the process has one thread. An object is born with a count of 1. */
#ifndef MPJ_SRC_BASE_REFCOUNT_H
#define MPJ_SRC_BASE_REFCOUNT_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/lock.h"

typedef _Atomic int64_t mpj_refcount;

/* Add one; the caller has a reference, or a lock that keeps the object alive. */
static inline void mpj_refcount_up(mpj_refcount *n)
{
  if (mpj_single_threaded())
    atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) + 1,
                          memory_order_relaxed);
  else
    atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
}

/* Take one off; returns what it was. 1: it was the last, and what other threads did
 * to the object before they let go of it has happened. */
static inline int64_t mpj_refcount_down(mpj_refcount *n)
{
  if (!mpj_single_threaded()) return atomic_fetch_sub_explicit(n, 1, memory_order_acq_rel);
  const int64_t was = atomic_load_explicit(n, memory_order_relaxed);
  atomic_store_explicit(n, was - 1, memory_order_relaxed);
  return was;
}

#endif
