/* This header declares address arithmetic for user memory: a base may be NULL
 * and a displacement an absolute address, which pointer arithmetic may not do. */
#ifndef MPJ_SRC_PACK_RUN_ADDRESS_H
#define MPJ_SRC_PACK_RUN_ADDRESS_H

#include <stdint.h>

#include <mpj/base.h>

/* The address `displ` bytes from base. */
static inline char *mpj_at(const void *base, MPJ_Aint displ)
{
  return (char *)((uintptr_t)base + (uintptr_t)displ);
}

#endif
