/* This header declares type-stable pools: memory for handles whose slots are
 * only ever reused for objects of the same kind, so that a stale handle can be
 * looked at and recognised until its slot is taken again.
 *
 * Invariant: an object begins with a uint32_t mark, which is the pool's `mark`
 * while the object is live and 0 otherwise. Slots are never returned to the
 * operating system before the process ends. Threads: any. */
#ifndef MPJ_SRC_BASE_POOL_H
#define MPJ_SRC_BASE_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mpj_pool {
  uint32_t mark;      /* of a live object; not 0 */
  size_t object_size; /* bytes; a multiple of 16 */
  pthread_mutex_t lock;
  struct mpj_pool_slot
      *free_slots; /* most recently freed last, so stale handles stay recognisable */
  struct mpj_pool_slot *free_tail;
  struct mpj_pool_chunk *chunks;
  size_t live; /* objects out now */
};

#define MPJ_POOL_INITIALIZER(mark_, type_)                                                         \
  {                                                                                                \
    .mark = (mark_), .object_size = (sizeof(type_) + 15) / 16 * 16,                                \
    .lock = PTHREAD_MUTEX_INITIALIZER                                                              \
  }

/* A zeroed object with its mark set, or NULL when there is no memory. */
void *mpj_pool_take(struct mpj_pool *pool);

/* Give an object back: its mark becomes 0 at once. */
void mpj_pool_give(struct mpj_pool *pool, void *object);

/* Whether `handle` points to a live object, given that it is NULL or a handle
 * that this pool once gave out (or any readable address: the mark decides; no object lies
 * in the first page). */
static inline bool mpj_pool_is_live(const struct mpj_pool *pool, const void *handle)
{
  return (uintptr_t)handle >= 4096 &&
         __atomic_load_n((const uint32_t *)handle, __ATOMIC_RELAXED) == pool->mark;
}

/* Objects out now; for leak checks. */
size_t mpj_pool_live(struct mpj_pool *pool);

#endif
