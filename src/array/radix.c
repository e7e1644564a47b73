/* This file sorts by digits, the lowest first (D. Knuth, The Art of Computer Programming 3, 5.2.5).
 */
#include "array/radix.h"

#include <stdbool.h>

#include "base/memory.h"
#include "base/status.h"

enum { DIGIT_BITS_MOST = 12, DIGITS_MOST = 1 << DIGIT_BITS_MOST };

static void sort_by(const struct mpj_keyed from[], struct mpj_keyed to[], size_t n, int shift,
                    int digit_bits, size_t begins[])
{
  const size_t digits = (size_t)1 << digit_bits;
  size_t at = 0;
  memset(begins, 0, digits * sizeof *begins);
  for (size_t i = 0; i < n; i++)
    begins[from[i].key >> shift & (digits - 1)]++;
  for (size_t d = 0; d < digits; d++) {
    const size_t count = begins[d];
    begins[d] = at;
    at += count;
  }
  for (size_t i = 0; i < n; i++)
    to[begins[from[i].key >> shift & (digits - 1)]++] = from[i];
}

int mpj_radix_sort(struct mpj_keyed list[], size_t n, int bits)
{
  bool sorted = true;
  for (size_t i = 1; i < n && sorted; i++)
    sorted = list[i - 1].key <= list[i].key;
  if (sorted) return MPJ_SUCCESS;
  struct mpj_keyed *other = mpj_alloc(n * sizeof *other);
  size_t *begins = mpj_alloc(DIGITS_MOST * sizeof *begins);
  struct mpj_keyed *from = list, *to = other;
  if (!other || !begins) {
    mpj_free(other);
    mpj_free(begins);
    return mpj_error(MPJ_ERR_NO_MEM, "no memory to sort %zu numbers", n);
  }
  const int passes = (bits - 1) / DIGIT_BITS_MOST + 1, digit_bits = (bits - 1) / passes + 1;
  for (int shift = 0; shift < bits; shift += digit_bits) {
    sort_by(from, to, n, shift, digit_bits, begins);
    struct mpj_keyed *last = from;
    from = to;
    to = last;
  }
  if (from != list) memcpy(list, from, n * sizeof *list);
  mpj_free(other);
  mpj_free(begins);
  return MPJ_SUCCESS;
}
