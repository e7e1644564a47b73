/* This header declares bit vectors in 64-bit words: plain ones for one owner, of any length; and
 * atomic ones of MPJ_BITS_MAX bits, which several ranks or threads set. */
#ifndef MPJ_SRC_BASE_BITS_H
#define MPJ_SRC_BASE_BITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

enum { MPJ_BITS_MAX = 256, MPJ_BITS_WORDS = MPJ_BITS_MAX / 64 };

/* Bits 0 .. 64 * words - 1, of which the first MPJ_BITS_MAX lie in the object itself. One that is
 * all zeros has these, and needs no beginning and no end; it may be copied. */
struct mpj_bits {
  uint64_t own[MPJ_BITS_WORDS];
  uint64_t *more; /* [words] all of them, owned, where they are more; else NULL */
  unsigned words; /* of `more` */
};

struct mpj_atomic_bits {
  _Atomic uint64_t word[MPJ_BITS_WORDS];
};

/* Have room for bits 0 .. n - 1 at least, all clear. False: there is no memory, and *b has as much
 * room as before. mpj_bits_end must follow. */
static inline bool mpj_bits_begin(struct mpj_bits *b, unsigned n)
{
  const unsigned words = n / 64 + (n % 64 != 0);
  if (words > MPJ_BITS_WORDS && words > b->words) {
    uint64_t *more = mpj_alloc_array(words, sizeof *more);
    if (!more) return false;
    mpj_free(b->more);
    b->more = more;
    b->words = words;
  } else if (b->more) {
    memset(b->more, 0, b->words * sizeof *b->more);
  }
  memset(b->own, 0, sizeof b->own);
  return true;
}

static inline void mpj_bits_end(struct mpj_bits *b)
{
  mpj_free(b->more);
  b->more = NULL;
  b->words = 0;
}

/* Its words, and how many. */
static inline uint64_t *mpj_bits_words(struct mpj_bits *b)
{
  return b->more ? b->more : b->own;
}
static inline unsigned mpj_bits_nwords(const struct mpj_bits *b)
{
  return b->more ? b->words : MPJ_BITS_WORDS;
}

static inline void mpj_bits_clear(struct mpj_bits *b)
{
  memset(b->own, 0, sizeof b->own);
  if (b->more) memset(b->more, 0, b->words * sizeof *b->more);
}

static inline void mpj_bits_set(struct mpj_bits *b, unsigned i)
{
  mpj_bits_words(b)[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline void mpj_bits_unset(struct mpj_bits *b, unsigned i)
{
  mpj_bits_words(b)[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

/* Have room for bits 0 .. n - 1, with what is there kept; at least twice as long, so that who adds
 * bit after bit copies each a few times. False: there is no memory, and nothing has changed. */
static inline bool mpj_bits_reach(struct mpj_bits *b, unsigned n)
{
  const unsigned now = mpj_bits_nwords(b), least = n / 64 + (n % 64 != 0);
  const unsigned words = least > 2 * now ? least : 2 * now;
  if (least <= now) return true;
  uint64_t *more = mpj_alloc_array(words, sizeof *more);
  if (!more) return false;
  memcpy(more, mpj_bits_words(b), now * sizeof *more);
  mpj_free(b->more);
  b->more = more;
  b->words = words;
  return true;
}

static inline bool mpj_bits_test(const struct mpj_bits *b, unsigned i)
{
  return ((b->more ? b->more : b->own)[i / 64] >> (i % 64)) & 1;
}

/* The first clear bit at or after `from`, or the number of bits that there are. */
static inline unsigned mpj_bits_next_clear(const struct mpj_bits *b, unsigned from)
{
  const uint64_t *words = b->more ? b->more : b->own;
  const unsigned n = mpj_bits_nwords(b);
  for (unsigned w = from / 64; w < n; w++) {
    uint64_t clear = ~words[w];
    if (w == from / 64) clear &= ~UINT64_C(0) << (from % 64);
    if (clear) return w * 64 + (unsigned)__builtin_ctzll(clear);
  }
  return 64 * n;
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
