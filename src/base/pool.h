/* This header declares type-stable pools: memory for handles whose slots are
 * only ever reused for objects of the same kind, so that a stale handle can be
 * looked at and recognised until its slot is taken again.
 *
 * Invariant: an object begins with a uint32_t mark, which is the pool's `mark`
 * while the object is live and 0 otherwise. Slots are never returned to the
 * operating system before the process ends. They lie in chunks (chunks.h), so that any word can be
 * asked whether it is a handle, also one that never was: uninitialised, or of another kind.
 * Threads: any. */
#ifndef MPJ_SRC_BASE_POOL_H
#define MPJ_SRC_BASE_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/chunks.h"

struct mpj_pool {
  uint32_t mark;      /* of a live object; not 0 */
  size_t object_size; /* bytes; a multiple of 16 */
  pthread_mutex_t lock;
  struct mpj_pool_slot
      *free_slots; /* most recently freed last, so stale handles stay recognisable */
  struct mpj_pool_slot *free_tail;
  int ahead; /* slots that may be made in the newest chunk, which has room for one, on the page of
                the last one, before a freed one is taken again */
  struct mpj_pool_chunk *chunks; /* newest first */
  size_t live;                   /* objects out now */
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

/* What a chunk of a pool begins with. */
struct mpj_pool_chunk {
  _Alignas(16) const struct mpj_pool *pool;
  struct mpj_pool_chunk *next; /* all chunks, so that none looks leaked */
  size_t made;                 /* bytes of slots behind this that are slots already */
};

/* Whether `handle`, which may be any word, is where an object of this pool is or was. */
static inline bool mpj_pool_has(const struct mpj_pool *pool, const void *handle)
{
  const uintptr_t address = (uintptr_t)handle;
  if (!mpj_chunk_holds(address)) return false;
  const uintptr_t at = address % MPJ_CHUNK_BYTES - sizeof(struct mpj_pool_chunk);
  const struct mpj_pool_chunk *chunk = (const void *)(address & ~(uintptr_t)(MPJ_CHUNK_BYTES - 1));
  return __atomic_load_n(&chunk->pool, __ATOMIC_ACQUIRE) == pool &&
         at < __atomic_load_n(&chunk->made, __ATOMIC_ACQUIRE) &&
         (uint32_t)at % (uint32_t)pool->object_size == 0;
}

/* Whether `handle`, which may be any word, points to a live object of this pool. */
static inline bool mpj_pool_is_live(const struct mpj_pool *pool, const void *handle)
{
  return mpj_pool_has(pool, handle) &&
         __atomic_load_n((const uint32_t *)handle, __ATOMIC_RELAXED) == pool->mark;
}

/* Objects out now; for leak checks. */
size_t mpj_pool_live(struct mpj_pool *pool);

#endif
