/* This header declares the map of all memory that pools have, by which any word whatever can be
 * asked whether it may be looked at as a handle.
 *
 * Memory comes in chunks of MPJ_CHUNK_BYTES on a border of as many, and stays. The map has a bit
 * for each place of a chunk below 2^48, the addresses that systems give to programs, in tables
 * for 2 GiB each that are made when the first chunk lies there. Threads: any. */
#ifndef MPJ_SRC_BASE_CHUNKS_H
#define MPJ_SRC_BASE_CHUNKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { MPJ_CHUNK_SHIFT = 13, MPJ_CHUNK_BYTES = 1 << MPJ_CHUNK_SHIFT };
enum { MPJ_CHUNK_TABLE_SHIFT = 31, MPJ_CHUNK_TABLES = 1 << (48 - MPJ_CHUNK_TABLE_SHIFT) };
enum { MPJ_CHUNKS_A_TABLE = 1 << (MPJ_CHUNK_TABLE_SHIFT - MPJ_CHUNK_SHIFT) };

struct mpj_chunk_table {
  _Atomic uint64_t is_chunk[MPJ_CHUNKS_A_TABLE / 64]; /* a bit each */
};
extern struct mpj_chunk_table *_Atomic mpj_chunk_tables[MPJ_CHUNK_TABLES];

/* A new chunk, not zeroed, for as long as the process lives; or NULL when there is no memory. */
void *mpj_chunk_take(void);

/* Whether the address, which may be any number, lies in a chunk. */
static inline bool mpj_chunk_holds(uintptr_t address)
{
  const uint64_t a = address;
  if (a < MPJ_CHUNK_BYTES || a >> 48 != 0) return false;
  const struct mpj_chunk_table *table =
      atomic_load_explicit(&mpj_chunk_tables[a >> MPJ_CHUNK_TABLE_SHIFT], memory_order_acquire);
  const unsigned i = (unsigned)(a >> MPJ_CHUNK_SHIFT) % MPJ_CHUNKS_A_TABLE;
  return table &&
         (atomic_load_explicit(&table->is_chunk[i / 64], memory_order_acquire) >> i % 64 & 1) != 0;
}

#endif
