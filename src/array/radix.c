/* This file sorts by digits, the lowest first (D. Knuth, The Art of Computer Programming 3, 5.2.5).
 */
#include "array/radix.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* As many places are written at a time as a first-level cache has lines for. */
enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

static inline uint64_t number_at(const char *items, size_t i, size_t width)
{
  uint64_t number;
  memcpy(&number, items + i * width, sizeof number);
  return number;
}

static inline bool is_sorted(const char *items, size_t n, size_t width, int low)
{
  for (size_t i = 1; i < n; i++)
    if (number_at(items, i - 1, width) >> low > number_at(items, i, width) >> low) return false;
  return true;
}

static inline void sort_by(const char *from, char *to, size_t n, size_t width, int shift,
                           size_t digits)
{
  size_t begins[DIGITS] = {0}, at = 0;
  for (size_t i = 0; i < n; i++)
    begins[number_at(from, i, width) >> shift & (digits - 1)]++;
  for (size_t d = 0; d < digits; d++) {
    const size_t count = begins[d];
    begins[d] = at;
    at += count;
  }
  for (size_t i = 0; i < n; i++)
    memcpy(to + begins[number_at(from, i, width) >> shift & (digits - 1)]++ * width,
           from + i * width, width);
}

/* Inlined with each width, so that items are moved without a call. */
static inline __attribute__((always_inline)) int sort(char *items, size_t n, size_t width, int low,
                                                      int high)
{
  if (n < 2 || is_sorted(items, n, width, low)) return MPJ_SUCCESS;
  char *other = mpj_alloc(n * width), *from = items, *to = other;
  if (!other) return mpj_error(MPJ_ERR_NO_MEM, "no memory to sort %zu numbers", n);
  for (int shift = low; shift < high; shift += DIGIT_BITS) {
    sort_by(from, to, n, width, shift,
            high - shift < DIGIT_BITS ? (size_t)1 << (high - shift) : (size_t)DIGITS);
    char *last = from;
    from = to;
    to = last;
  }
  if (from != items) memcpy(items, from, n * width);
  mpj_free(other);
  return MPJ_SUCCESS;
}

int mpj_radix_sort(void *items, size_t n, size_t width, int low, int high)
{
  return width == sizeof(uint64_t) ? sort(items, n, sizeof(uint64_t), low, high)
                                   : sort(items, n, sizeof(struct mpj_keyed), low, high);
}
