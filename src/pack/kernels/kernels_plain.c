/* This file makes the portable set of kernels. */
#include <stdbool.h>

#include "pack/kernels/kernels.h"
#include "pack/kernels/kernels_inline.h"

/* No permutes in plain C, nor a better way for lists. */
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

INLINE MPJ_Count pack_listed(const char *mem, const int32_t offsets[], char *other, MPJ_Count k,
                             MPJ_Count count)
{
  (void)mem, (void)offsets, (void)other, (void)k, (void)count;
  return 0;
}

INLINE MPJ_Count unpack_listed(char *mem, const int32_t offsets[], const char *other, MPJ_Count k,
                               MPJ_Count count)
{
  (void)mem, (void)offsets, (void)other, (void)k, (void)count;
  return 0;
}

INLINE MPJ_Count pack_far_vectors(char *to, const char *from, MPJ_Aint stride, MPJ_Count k,
                                  MPJ_Count count)
{
  (void)to, (void)from, (void)stride, (void)k, (void)count;
  return 0;
}

#define KERNEL_SET mpj_kernels_plain
#define KERNEL_SET_NAME "portable"
#include "pack/kernels/kernels_loops.h"
