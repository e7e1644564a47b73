/* This header declares a sort of numbers without comparisons. */
#ifndef MPJ_SRC_ARRAY_RADIX_H
#define MPJ_SRC_ARRAY_RADIX_H

#include <stddef.h>
#include <stdint.h>

#include <mpj/base.h>

struct mpj_keyed {
  uint64_t key;
  MPJ_Count i;
};

/* Sort list[n] by its keys, which are below 2^bits; equal ones stay in order. As much memory again.
 * O(n * bits / 12). Errors: MPJ_ERR_NO_MEM. */
int mpj_radix_sort(struct mpj_keyed list[], size_t n, int bits);

#endif
