/* This header declares the choice of the kernels for this processor. */
#ifndef MPJ_SRC_PACK_KERNELS_KERNELS_CHOOSE_H
#define MPJ_SRC_PACK_KERNELS_KERNELS_CHOOSE_H

#include "pack/kernels/kernels.h"

int mpj_kernels_sets(const struct mpj_kernels *sets[MPJ_KERNEL_SETS]);

const struct mpj_kernels *mpj_kernels_choose(void);

static inline const struct mpj_kernels *mpj_kernels(void)
{
  const struct mpj_kernels *set = atomic_load_explicit(&mpj_kernels_chosen, memory_order_acquire);
  return set ? set : mpj_kernels_choose();
}

#endif
