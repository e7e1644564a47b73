/* This file implements the owner's word of a ring of pieces. */
#include "net/pull/stream_ring.h"

#include <assert.h>

#define BUSY (UINT64_C(1) << 30)
#define CLOSED (UINT64_C(1) << 31)

static_assert(BUSY == (uint64_t)MPJ_STREAM_COUNT + 1, "the count ends below the flags");

uint32_t mpj_stream_open(struct mpj_stream *s)
{
  const uint64_t word = atomic_load_explicit(&s->word, memory_order_relaxed);
  const uint32_t generation = (uint32_t)(word >> 32) + 1;
  atomic_store_explicit(&s->emptied, 0, memory_order_relaxed);
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

bool mpj_stream_claim(struct mpj_stream *s, uint32_t generation, uint32_t filled)
{
  uint64_t word = (uint64_t)generation << 32 | filled;
  return atomic_compare_exchange_strong(&s->word, &word, word | BUSY);
}

bool mpj_stream_publish(struct mpj_stream *s, bool more)
{
  const uint64_t word = atomic_fetch_add(&s->word, more ? 1 : 1 - BUSY);
  if (more && (word & CLOSED)) atomic_fetch_and(&s->word, ~BUSY);
  return more && (word & CLOSED) == 0;
}
