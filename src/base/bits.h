/* This header declares a fixed bit vector of MPJ_BITS_MAX bits in 64-bit words:
 * plain for one owner, atomic where several ranks or threads set bits. */
#ifndef MPJ_SRC_BASE_BITS_H
#define MPJ_SRC_BASE_BITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { MPJ_BITS_MAX = 256, MPJ_BITS_WORDS = MPJ_BITS_MAX / 64 };

struct mpj_bits {
  uint64_t word[MPJ_BITS_WORDS];
};

struct mpj_atomic_bits {
  _Atomic uint64_t word[MPJ_BITS_WORDS];
};

static inline void mpj_bits_set(struct mpj_bits *b, unsigned i)
{
  b->word[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline bool mpj_bits_test(const struct mpj_bits *b, unsigned i)
{
  return (b->word[i / 64] >> (i % 64)) & 1;
}

/* The first clear bit at or after `from`, or MPJ_BITS_MAX. */
static inline unsigned mpj_bits_next_clear(const struct mpj_bits *b, unsigned from)
{
  for (unsigned w = from / 64; w < MPJ_BITS_WORDS; w++) {
    uint64_t clear = ~b->word[w];
    if (w == from / 64) clear &= ~UINT64_C(0) << (from % 64);
    if (clear) return w * 64 + (unsigned)__builtin_ctzll(clear);
  }
  return MPJ_BITS_MAX;
}

/* Set bit i and make everything written before it visible to whoever reads it
 * (release); also a full fence, so that a following read sees later state. */
static inline void mpj_atomic_bits_set(struct mpj_atomic_bits *b, unsigned i)
{
  atomic_fetch_or_explicit(&b->word[i / 64], UINT64_C(1) << (i % 64), memory_order_seq_cst);
}

/* Word w, with acquire order. */
static inline uint64_t mpj_atomic_bits_load(const struct mpj_atomic_bits *b, unsigned w)
{
  return atomic_load_explicit(&b->word[w], memory_order_acquire);
}

/* Clear all bits; only where nobody can be setting one. */
static inline void mpj_atomic_bits_clear(struct mpj_atomic_bits *b)
{
  for (unsigned w = 0; w < MPJ_BITS_WORDS; w++)
    atomic_store_explicit(&b->word[w], 0, memory_order_relaxed);
}

#endif
