/* This header declares what the sources of kernel sets share. */
#ifndef MPJ_SRC_PACK_KERNELS_KERNELS_INLINE_H
#define MPJ_SRC_PACK_KERNELS_KERNELS_INLINE_H

#include <stddef.h>

#define INLINE static inline __attribute__((always_inline))

/* Copies one block of n bytes, n in its class. */
typedef void block_copy(char *to, const char *from, size_t n);

#endif
