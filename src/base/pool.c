/* This file implements type-stable pools: chunks of slots that are never released, chained first
 * in, first out while they are free. A slot is made when it is first taken, so that memory behind
 * it stays untouched; a freed one waits until the slots that are ahead, to the end of a page, have
 * been made. */
#include "base/pool.h"

#include <assert.h>
#include <string.h>

#include "base/lock.h"

enum { SLOTS_AT_A_TIME = 64, LEAST_PAGE = 4096 };

/* A free slot: the object's mark, 0, and the next free one. */
struct mpj_pool_slot {
  uint32_t mark;
  struct mpj_pool_slot *next;
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

static bool has_room(const struct mpj_pool *pool)
{
  const struct mpj_pool_chunk *chunk = pool->chunks;
  return chunk && sizeof *chunk + chunk->made + pool->object_size <= MPJ_CHUNK_BYTES;
}

static bool add_chunk(struct mpj_pool *pool)
{
  struct mpj_pool_chunk *chunk = mpj_chunk_take();
  if (!chunk) return false;
  __atomic_store_n(&chunk->made, 0, __ATOMIC_RELAXED);
  chunk->next = pool->chunks;
  __atomic_store_n(&chunk->pool, pool, __ATOMIC_RELEASE);
  pool->chunks = chunk;
  return true;
}

/* Whether the slot behind the newest chunk's last one ends on the page on which that one does. */
static bool page_goes_on(const struct mpj_pool *pool)
{
  const uintptr_t end = (uintptr_t)(pool->chunks + 1) + pool->chunks->made;
  return (end - 1) / LEAST_PAGE == (end + pool->object_size - 1) / LEAST_PAGE;
}

/* The next slot of the newest chunk, which has room. */
static struct mpj_pool_slot *make_slot(struct mpj_pool *pool)
{
  struct mpj_pool_chunk *chunk = pool->chunks;
  struct mpj_pool_slot *slot = (void *)((char *)(chunk + 1) + chunk->made);
  slot->mark = 0;
  __atomic_store_n(&chunk->made, chunk->made + pool->object_size, __ATOMIC_RELEASE);
  pool->ahead--;
  if (!has_room(pool) || !page_goes_on(pool)) pool->ahead = 0;
  return slot;
}

/* A slot that was never taken, while some are ahead; else the one that has been free for longest;
 * or NULL. The lock is held. */
static struct mpj_pool_slot *take_free(struct mpj_pool *pool)
{
  if (pool->ahead == 0 && !pool->free_slots) {
    if (!has_room(pool) && !add_chunk(pool)) return NULL;
    pool->ahead = SLOTS_AT_A_TIME;
  }
  struct mpj_pool_slot *slot = pool->free_slots;
  if (pool->ahead > 0) {
    slot = make_slot(pool);
  } else {
    pool->free_slots = slot->next;
    if (!slot->next) pool->free_tail = NULL;
  }
  pool->live++;
  return slot;
}

void *mpj_pool_take(struct mpj_pool *pool)
{
  assert(pool->mark && pool->object_size >= sizeof(struct mpj_pool_slot) &&
         pool->object_size <= MPJ_CHUNK_BYTES - sizeof(struct mpj_pool_chunk));
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
