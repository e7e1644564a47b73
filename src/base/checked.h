/* This header declares arithmetic on user sizes that reports overflow: each
 * function stores the result and returns true, or returns false and leaves
 * *out alone. */
#ifndef MPJ_SRC_BASE_CHECKED_H
#define MPJ_SRC_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpj/base.h>

static inline bool mpj_add_count(MPJ_Count a, MPJ_Count b, MPJ_Count *out)
{
  MPJ_Count r;
  if (__builtin_add_overflow(a, b, &r)) return false;
  *out = r;
  return true;
}

static inline bool mpj_mul_count(MPJ_Count a, MPJ_Count b, MPJ_Count *out)
{
  MPJ_Count r;
  if (__builtin_mul_overflow(a, b, &r)) return false;
  *out = r;
  return true;
}

static inline bool mpj_add_aint(MPJ_Aint a, MPJ_Aint b, MPJ_Aint *out)
{
  MPJ_Aint r;
  if (__builtin_add_overflow(a, b, &r)) return false;
  *out = r;
  return true;
}

static inline bool mpj_sub_aint(MPJ_Aint a, MPJ_Aint b, MPJ_Aint *out)
{
  MPJ_Aint r;
  if (__builtin_sub_overflow(a, b, &r)) return false;
  *out = r;
  return true;
}

/* count * bytes as a displacement. */
static inline bool mpj_mul_aint(MPJ_Count count, MPJ_Aint bytes, MPJ_Aint *out)
{
  MPJ_Aint r;
  if (__builtin_mul_overflow(count, bytes, &r)) return false;
  *out = r;
  return true;
}

/* a + count * bytes. */
static inline bool mpj_muladd_aint(MPJ_Aint a, MPJ_Count count, MPJ_Aint bytes, MPJ_Aint *out)
{
  MPJ_Aint r;
  return mpj_mul_aint(count, bytes, &r) && mpj_add_aint(a, r, out);
}

/* count * size as an allocation size. */
static inline bool mpj_mul_size(size_t count, size_t size, size_t *out)
{
  size_t r;
  if (__builtin_mul_overflow(count, size, &r)) return false;
  *out = r;
  return true;
}

#endif
