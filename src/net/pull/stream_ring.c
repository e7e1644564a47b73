/* This file implements the word of a ring of pieces. */
#include "net/pull/stream_ring.h"

#define BUSY (UINT64_C(1) << 30)
#define CLOSED (UINT64_C(1) << 31)

uint32_t mpj_stream_open(struct mpj_stream *s)
{
  const uint64_t word = atomic_load_explicit(&s->word, memory_order_relaxed);
  const uint32_t generation = (uint32_t)(word >> 32) + 1;
  atomic_store_explicit(&s->emptied, 0, memory_order_relaxed);
  atomic_store_explicit(&s->filled, (uint64_t)generation << 32, memory_order_relaxed);
  atomic_store_explicit(&s->word, (uint64_t)generation << 32, memory_order_release);
  return generation;
}

bool mpj_stream_close(struct mpj_stream *s, uint32_t generation)
{
  const uint64_t word = atomic_fetch_or(&s->word, CLOSED);
  return word >> 32 != generation || (word & BUSY) == 0;
}

bool mpj_stream_is_open(const struct mpj_stream *s, uint32_t generation)
{
  const uint64_t word = atomic_load_explicit(&s->word, memory_order_acquire);
  return word >> 32 == generation && (word & CLOSED) == 0;
}

bool mpj_stream_claim(struct mpj_stream *s, uint32_t generation)
{
  uint64_t word = (uint64_t)generation << 32;
  return atomic_compare_exchange_strong(&s->word, &word, word | BUSY);
}

void mpj_stream_release(struct mpj_stream *s, uint32_t generation)
{
  uint64_t word = atomic_load_explicit(&s->word, memory_order_relaxed);
  while (word >> 32 == generation &&
         !atomic_compare_exchange_weak_explicit(&s->word, &word, word & ~BUSY, memory_order_release,
                                                memory_order_relaxed))
    ;
}
