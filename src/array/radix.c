/* This file sorts by digits, the lowest first (D. Knuth, The Art of Computer Programming 3, 5.2.5).
 */
#include "array/radix.h"

#include <stdbool.h>
#include <string.h>

/* As many places are written at a time as a first-level cache has lines for. */
enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, PASSES = 64 / DIGIT_BITS };

/* How many items have each digit, of all passes. */
struct counts {
  size_t of[PASSES][DIGITS];
};

static inline uint64_t number_at(const char *items, size_t i, size_t width)
{
  uint64_t number;
  memcpy(&number, items + i * width, sizeof number);
  return number;
}

static inline size_t digit_of(uint64_t number, int pass)
{
  return number >> (pass * DIGIT_BITS) & (DIGITS - 1);
}

/* Whether the items are in order already. Numbers are those of the bits that count. */
static inline bool count(const char *items, size_t n, size_t width, int low, uint64_t mask,
                         int passes, struct counts *counts)
{
  uint64_t before = 0;
  bool sorted = true;
  for (size_t i = 0; i < n; i++) {
    const uint64_t number = number_at(items, i, width) >> low & mask;
    sorted &= before <= number;
    before = number;
    for (int k = 0; k < passes; k++)
      counts->of[k][digit_of(number, k)]++;
  }
  return sorted;
}

static inline void sort_by(const char *from, char *to, size_t n, size_t width, int low,
                           uint64_t mask, int pass, size_t begins[])
{
  size_t at = 0;
  for (size_t d = 0; d < DIGITS; d++) {
    const size_t some = begins[d];
    begins[d] = at;
    at += some;
  }
  for (size_t i = 0; i < n; i++) {
    const size_t d = digit_of(number_at(from, i, width) >> low & mask, pass);
    memcpy(to + begins[d]++ * width, from + i * width, width);
  }
}

/* Inlined with each width, so that items are moved without a call. */
static inline __attribute__((always_inline)) void sort(void **items, void **room, size_t n,
                                                       size_t width, int low, int high)
{
  struct counts counts = {0};
  const uint64_t mask = UINT64_MAX >> (64 - (high - low));
  const int passes = (high - low + DIGIT_BITS - 1) / DIGIT_BITS;
  if (count(*items, n, width, low, mask, passes, &counts)) return;
  for (int k = 0; k < passes; k++) {
    if (counts.of[k][digit_of(number_at(*items, 0, width) >> low & mask, k)] == n) continue;
    sort_by(*items, *room, n, width, low, mask, k, counts.of[k]);
    void *last = *items;
    *items = *room;
    *room = last;
  }
}

void mpj_radix_sort(void **items, void **room, size_t n, size_t width, int low, int high)
{
  if (n < 2 || high <= low) return;
  if (width == sizeof(uint64_t))
    sort(items, room, n, sizeof(uint64_t), low, high);
  else
    sort(items, room, n, sizeof(struct mpj_keyed), low, high);
}
