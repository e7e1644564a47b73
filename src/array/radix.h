/* This header declares a sort of numbers without comparisons. */
#ifndef MPJ_SRC_ARRAY_RADIX_H
#define MPJ_SRC_ARRAY_RADIX_H

#include <stddef.h>
#include <stdint.h>

#include <mpj/base.h>

/* An item is one number of 64 bits, or begins with one. */
struct mpj_keyed {
  uint64_t key;
  MPJ_Count i;
};

/* Sort the n items at *items, of `width` bytes, 8 or sizeof(struct mpj_keyed), by the bits [low,
 * high) of their numbers; equal ones stay in order. *room has as many bytes; the two are exchanged
 * if the sorted items are in the other one. O(n * (high - low) / 8). */
void mpj_radix_sort(void **items, void **room, size_t n, size_t width, int low, int high);

#endif
