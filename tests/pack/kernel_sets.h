/* This header goes through the sets of kernels that this processor can run, for their tests. */
#ifndef MPJ_TESTS_PACK_KERNEL_SETS_H
#define MPJ_TESTS_PACK_KERNEL_SETS_H

#include "base/suite.h"
#include "pack/kernels/kernels_choose.h"

static const struct mpj_kernels *set; /* under test */

/* Run a check on every set. */
static inline void on_each_set(void (*check)(void))
{
  const struct mpj_kernels *sets[MPJ_KERNEL_SETS];
  int n = mpj_kernels_sets(sets);
  ck_assert_int_ge(n, 1);
  for (int i = 0; i < n; i++) {
    set = sets[i];
    check();
  }
}

#endif
