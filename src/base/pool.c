/* This file implements type-stable pools: chunks of slots that are never
 * released, chained first in, first out while they are free. */
#include "base/pool.h"

#include <assert.h>
#include <string.h>

#include "base/lock.h"
#include "base/memory.h"

enum { CHUNK_OBJECTS = 64 };

/* A free slot: the object's mark, 0, and the next free one. */
struct mpj_pool_slot {
  uint32_t mark;
  struct mpj_pool_slot *next;
};

struct mpj_pool_chunk {
  _Alignas(16) struct mpj_pool_chunk *next; /* all chunks, so that none looks leaked */
};

static_assert(sizeof(struct mpj_pool_slot) <= 16, "the smallest object holds a free slot");

static void append_free(struct mpj_pool *pool, struct mpj_pool_slot *slot)
{
  slot->next = NULL;
  if (pool->free_tail)
    pool->free_tail->next = slot;
  else
    pool->free_slots = slot;
  pool->free_tail = slot;
}

static bool grow(struct mpj_pool *pool)
{
  size_t bytes = sizeof(struct mpj_pool_chunk) + CHUNK_OBJECTS * pool->object_size;
  struct mpj_pool_chunk *chunk = mpj_alloc_permanent(1, bytes);
  if (!chunk) return false;
  chunk->next = pool->chunks;
  pool->chunks = chunk;
  char *first = (char *)(chunk + 1);
  for (size_t i = 0; i < CHUNK_OBJECTS; i++)
    append_free(pool, (struct mpj_pool_slot *)(void *)(first + i * pool->object_size));
  return true;
}

/* The slot that has been free for longest, or NULL. The lock is held. */
static struct mpj_pool_slot *take_free(struct mpj_pool *pool)
{
  if (!pool->free_slots && !grow(pool)) return NULL;
  struct mpj_pool_slot *slot = pool->free_slots;
  pool->free_slots = slot->next;
  if (!slot->next) pool->free_tail = NULL;
  pool->live++;
  return slot;
}

void *mpj_pool_take(struct mpj_pool *pool)
{
  assert(pool->mark && pool->object_size >= sizeof(struct mpj_pool_slot));
  bool taken = mpj_lock(&pool->lock);
  struct mpj_pool_slot *slot = take_free(pool);
  mpj_unlock(&pool->lock, taken);
  if (!slot) return NULL;
  /* A stale handle's holder may read the mark at any time, nothing else. */
  memset((char *)slot + sizeof slot->mark, 0, pool->object_size - sizeof slot->mark);
  __atomic_store_n(&slot->mark, pool->mark, __ATOMIC_RELEASE);
  return slot;
}

void mpj_pool_give(struct mpj_pool *pool, void *object)
{
  assert(mpj_pool_is_live(pool, object));
  struct mpj_pool_slot *slot = object;
  __atomic_store_n(&slot->mark, 0, __ATOMIC_RELEASE);
  bool taken = mpj_lock(&pool->lock);
  append_free(pool, slot);
  pool->live--;
  mpj_unlock(&pool->lock, taken);
}

size_t mpj_pool_live(struct mpj_pool *pool)
{
  bool taken = mpj_lock(&pool->lock);
  size_t live = pool->live;
  mpj_unlock(&pool->lock, taken);
  return live;
}
