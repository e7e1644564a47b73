/* This file makes the portable set of kernels. */
#include <stdbool.h>

#include "pack/kernels.h"
#include "pack/kernels_inline.h"

/* No permutes in plain C. */
INLINE bool pack_permuted(const char *mem, MPJ_Aint stride, char *other, MPJ_Aint other_stride,
                          MPJ_Count block, MPJ_Count count)
{
  (void)mem, (void)stride, (void)other, (void)other_stride, (void)block, (void)count;
  return false;
}

INLINE bool unpack_permuted(char *mem, MPJ_Aint stride, const char *other, MPJ_Aint other_stride,
                            MPJ_Count block, MPJ_Count count)
{
  (void)mem, (void)stride, (void)other, (void)other_stride, (void)block, (void)count;
  return false;
}

#define KERNEL_SET mpj_kernels_plain
#define KERNEL_SET_NAME "portable"
#include "pack/kernels_loops.h"
