/* This file takes chunks from the heap and notes them in the map. */
#include "base/chunks.h"

#include <pthread.h>

#include "base/memory.h"

struct mpj_chunk_table *_Atomic mpj_chunk_tables[MPJ_CHUNK_TABLES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of who makes a table */
static struct mpj_chunk_table first; /* the only one, if the heap lies in 2 GiB */
static bool first_is_used;

static struct mpj_chunk_table *table_of(uint64_t address)
{
  struct mpj_chunk_table *_Atomic *at = &mpj_chunk_tables[address >> MPJ_CHUNK_TABLE_SHIFT];
  pthread_mutex_lock(&lock);
  struct mpj_chunk_table *table = atomic_load(at);
  if (!table) {
    table = first_is_used ? mpj_alloc_permanent(1, sizeof *table) : &first;
    first_is_used = true;
    atomic_store(at, table);
  }
  pthread_mutex_unlock(&lock);
  return table;
}

void *mpj_chunk_take(void)
{
  void *chunk = mpj_alloc_permanent_aligned(MPJ_CHUNK_BYTES);
  const uint64_t address = (uintptr_t)chunk;
  struct mpj_chunk_table *table = chunk && address >> 48 == 0 ? table_of(address) : NULL;
  if (!table) {
    mpj_free_permanent(chunk);
    return NULL;
  }
  const unsigned i = (unsigned)(address >> MPJ_CHUNK_SHIFT) % MPJ_CHUNKS_A_TABLE;
  atomic_fetch_or_explicit(&table->is_chunk[i / 64], UINT64_C(1) << i % 64, memory_order_release);
  return chunk;
}
