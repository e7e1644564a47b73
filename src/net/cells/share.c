/* This file implements the word by which two sides divide a transfer. */
#include "net/cells/share.h"

enum { FRONT_BITS = 20, BACK_SHIFT = 20, BUSY_SHIFT = 40, STATE_SHIFT = 41, GENERATION_SHIFT = 43 };
enum share_state { FREE, SETUP, OPEN, OVER };

#define COUNT_MASK ((UINT64_C(1) << FRONT_BITS) - 1)
#define ONE_BACK (UINT64_C(1) << BACK_SHIFT)
#define BUSY (UINT64_C(1) << BUSY_SHIFT)
#define STATE_MASK (UINT64_C(3) << STATE_SHIFT)
#define GENERATION_MASK ((UINT64_C(1) << 21) - 1)

/* Bytes that one system call or copy is worth at least and at most, and into how
 * many chunks a transfer is cut otherwise, so that the two sides end together.
 * With chunks of 16 KiB 64 KiB take as long as by one side, with 32 KiB 0.7 times
 * that (mpj-bench am, long_65536). */
enum { CHUNK_LEAST = 32768, CHUNK_MOST = 1 << 20, CHUNKS = 8, PAGE = 4096 };

static uint64_t word_of(uint32_t generation, enum share_state state, uint64_t back)
{
  return ((uint64_t)generation & GENERATION_MASK) << GENERATION_SHIFT |
         (uint64_t)state << STATE_SHIFT | back << BACK_SHIFT;
}

static bool is_of(uint64_t word, uint32_t generation)
{
  return word >> GENERATION_SHIFT == (generation & GENERATION_MASK);
}

static enum share_state state_of(uint64_t word)
{
  return (enum share_state)(word >> STATE_SHIFT & 3);
}

static bool has_chunks(uint64_t word)
{
  return (word & COUNT_MASK) < (word >> BACK_SHIFT & COUNT_MASK);
}

static uint64_t with_state(uint64_t word, enum share_state state)
{
  return (word & ~STATE_MASK) | (uint64_t)state << STATE_SHIFT;
}

uint32_t mpj_share_chunk(int64_t bytes)
{
  if (bytes < MPJ_SHARE_LEAST) return 0;
  int64_t chunk = bytes / CHUNKS;
  if (chunk < CHUNK_LEAST) chunk = bytes < 2 * CHUNK_LEAST ? (bytes + 1) / 2 : CHUNK_LEAST;
  chunk = (chunk + PAGE - 1) / PAGE * PAGE;
  if (chunk > CHUNK_MOST) chunk = CHUNK_MOST;
  return (bytes - 1) / chunk < MPJ_SHARE_CHUNKS_MOST - 1 ? (uint32_t)chunk : 0;
}

void mpj_share_reset(struct mpj_exposure *e, uint32_t generation)
{
  atomic_store_explicit(&e->share, word_of(generation, FREE, 0), memory_order_relaxed);
}

bool mpj_share_begin(struct mpj_exposure *e, uint32_t generation,
                     const struct mpj_share_offer *offer)
{
  uint64_t word = word_of(generation, FREE, 0);
  const uint64_t chunks = (uint64_t)((offer->bytes + offer->chunk - 1) / offer->chunk);
  const uint64_t setup = word_of(generation, SETUP, 0);
  if (!atomic_compare_exchange_strong(&e->share, &word, setup)) return false;
  atomic_store_explicit(&e->share_to, offer->to, memory_order_relaxed);
  atomic_store_explicit(&e->share_bytes, offer->bytes, memory_order_relaxed);
  atomic_store_explicit(&e->share_row, offer->row, memory_order_relaxed);
  atomic_store_explicit(&e->share_stride, offer->stride, memory_order_relaxed);
  atomic_store_explicit(&e->share_chunk, offer->chunk, memory_order_relaxed);
  atomic_store_explicit(&e->share_rank, offer->rank, memory_order_relaxed);
  word = setup;
  return atomic_compare_exchange_strong(&e->share, &word, word_of(generation, OPEN, chunks));
}

bool mpj_share_take_front(struct mpj_exposure *e, uint32_t generation, uint32_t *chunk)
{
  uint64_t word = atomic_load_explicit(&e->share, memory_order_relaxed);
  do {
    const enum share_state state = state_of(word);
    if (!is_of(word, generation) || !has_chunks(word)) return false;
    if (state != OPEN && state != SETUP) return false;
  } while (!atomic_compare_exchange_weak(&e->share, &word, word + 1));
  *chunk = (uint32_t)(word & COUNT_MASK);
  return true;
}

bool mpj_share_finish(struct mpj_exposure *e, uint32_t generation)
{
  uint64_t word = atomic_load_explicit(&e->share, memory_order_acquire);
  if (!is_of(word, generation) || (word & BUSY) != 0 || has_chunks(word)) return false;
  /* Only the receiver changes it from here on. */
  return atomic_compare_exchange_strong(&e->share, &word, word_of(generation, FREE, 0));
}

bool mpj_share_cancel(struct mpj_exposure *e, uint32_t generation)
{
  uint64_t word = atomic_load_explicit(&e->share, memory_order_acquire), next;
  do {
    if (!is_of(word, generation)) return true;
    next = word & BUSY ? with_state(word, OVER) : word_of(generation, FREE, 0);
    if (next == word) return (word & BUSY) == 0;
  } while (!atomic_compare_exchange_weak(&e->share, &word, next));
  return (word & BUSY) == 0;
}

bool mpj_share_is_open(const struct mpj_exposure *e)
{
  const uint64_t word = atomic_load_explicit(&e->share, memory_order_acquire);
  return state_of(word) == OPEN && (word & BUSY) == 0 && has_chunks(word);
}

bool mpj_share_take_back(struct mpj_exposure *e, uint32_t generation, uint32_t *chunk,
                         struct mpj_share_offer *offer)
{
  uint64_t word = atomic_load_explicit(&e->share, memory_order_acquire);
  do {
    if (!is_of(word, generation) || state_of(word) != OPEN) return false;
    if ((word & BUSY) != 0 || !has_chunks(word)) return false;
  } while (!atomic_compare_exchange_weak(&e->share, &word, (word - ONE_BACK) | BUSY));
  *chunk = (uint32_t)(word >> BACK_SHIFT & COUNT_MASK) - 1;
  offer->to = atomic_load_explicit(&e->share_to, memory_order_relaxed);
  offer->bytes = atomic_load_explicit(&e->share_bytes, memory_order_relaxed);
  offer->row = atomic_load_explicit(&e->share_row, memory_order_relaxed);
  offer->stride = atomic_load_explicit(&e->share_stride, memory_order_relaxed);
  offer->chunk = atomic_load_explicit(&e->share_chunk, memory_order_relaxed);
  offer->rank = atomic_load_explicit(&e->share_rank, memory_order_relaxed);
  return true;
}

void mpj_share_give_back(struct mpj_exposure *e, uint32_t generation, bool moved)
{
  uint64_t word = atomic_load_explicit(&e->share, memory_order_relaxed), next;
  do {
    if (!is_of(word, generation)) return;
    next = word & ~BUSY;
    if (!moved) next += ONE_BACK;
    if (!moved && state_of(word) == OPEN) next = with_state(next, SETUP);
  } while (!atomic_compare_exchange_weak(&e->share, &word, next));
}
