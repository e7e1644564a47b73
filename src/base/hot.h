/* This header marks the functions that a short call runs through. They come to lie side by side:
 * where many ranks share a core each turn begins without address translations, and each page
 * that it touches costs some 50 ns. */
#ifndef MPJ_SRC_BASE_HOT_H
#define MPJ_SRC_BASE_HOT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MPJ_HOT __attribute__((hot))

/* What a short call passes over: it stays out of the hot functions. */
#define MPJ_ASIDE __attribute__((noinline))

/* What a short call runs through: all that it calls and that does not stay out is part of it. */
#define MPJ_FLAT __attribute__((flatten))

/* Fetch the cache line at `at`, to be written, from whichever core has it. The compiler's builtin
 * fetches it to be read where the target is the first x86-64, and the write has to ask the other
 * core again. Every x86-64 processor takes this instruction; those without it do nothing. */
static inline void mpj_prefetch_to_write(const void *at)
{
#if defined(__x86_64__)
  __asm__ volatile("prefetchw %0" : : "m"(*(const char *)at));
#else
  __builtin_prefetch(at, 1);
#endif
}

/* Copy words one by one, each by a register: read in larger pieces than they were written in they
 * would wait until all that was written before has left the core. */
static inline void mpj_copy_words(void *to, const void *from, size_t words)
{
  for (size_t i = 0; i < words; i++) {
    uint64_t word;
    memcpy(&word, (const char *)from + i * sizeof word, sizeof word);
    __asm__("" : "+r"(word)); /* not several at once */
    memcpy((char *)to + i * sizeof word, &word, sizeof word);
  }
}

#endif
