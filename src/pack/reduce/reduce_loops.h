/* This header defines one set of dense reduction kernels, REDUCE_SET: one loop an
 * operation and type, which the compiler vectorises for the instruction set of
 * the source that includes it. */
#ifndef MPJ_SRC_PACK_REDUCE_REDUCE_LOOPS_H
#define MPJ_SRC_PACK_REDUCE_REDUCE_LOOPS_H

#include "pack/reduce/reduce_ops.h"

#define DENSE(name, op, T, W)                                                                      \
  static void name(const void *in, void *inout, MPJ_Count n)                                       \
  {                                                                                                \
    const T *restrict a = in;                                                                      \
    T *restrict b = inout;                                                                         \
    for (MPJ_Count i = 0; i < n; i++)                                                              \
      b[i] = op(T, W, a[i], b[i]);                                                                 \
  }
FOR_EACH_SINGLE(DENSE)
FOR_EACH_PAIR(DENSE)

/* gcc 12 fuses the multiplications and additions of complex products when it
 * vectorises them for AVX-512, even where -ffp-contract=off forbids it. */
#if defined(__AVX512F__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-tree-vectorize")
#endif
FOR_EACH_COMPLEX(DENSE)
#if defined(__AVX512F__) && !defined(__clang__)
#pragma GCC pop_options
#endif

#define ENTRY(name, op, T, W) [MPJ_REDUCTION_##name] = name,
mpj_reduce_kernel *const REDUCE_SET[MPJ_REDUCTIONS] = {FOR_EACH_REDUCTION(ENTRY)};

#endif
