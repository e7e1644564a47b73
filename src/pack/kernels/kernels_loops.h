/* This header defines a set of kernels: one loop per shape, compiled once for
 * each class of block sizes. A source for one instruction set includes it, once,
 * after it has defined
 *
 *   KERNEL_SET      the set's identifier, and KERNEL_SET_NAME, its name
 *   pack_permuted, unpack_permuted, pack_listed, unpack_listed, pack_far_vectors
 *                   functions: see below
 *   EXPAND          the function for lists of units, if it has a better one
 *   MOVE            moves blocks of a constant size, if memcpy is not the best for that
 *   COPY_<suffix>   for the classes whose blocks it copies in a way of its own where
 *                   the data is in a cache, the name of a block_copy
 *
 * pack_permuted and unpack_permuted do what a strided kernel does where the
 * stream is dense and they have a faster way than block by block, and return
 * true; else they return false and do nothing. pack_listed and unpack_listed move
 * the first of count listed blocks of k bytes, k a constant or 0 for several sizes,
 * where they have a faster way and the data is in a cache, and return how many;
 * pack_far_vectors does so with strided blocks that come from memory. */
#ifndef MPJ_SRC_PACK_KERNELS_KERNELS_LOOPS_H
#define MPJ_SRC_PACK_KERNELS_KERNELS_LOOPS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "pack/kernels/kernels.h"
#include "pack/kernels/kernels_choose.h"
#include "pack/kernels/kernels_far.h"
#include "pack/kernels/kernels_inline.h"
#include "pack/kernels/kernels_stream.h"

#ifndef MOVE
#define MOVE memcpy
#endif

#define DEFINE_EXACT(k)                                                                            \
  INLINE void copy_##k(char *to, const char *from, size_t n)                                       \
  {                                                                                                \
    (void)n;                                                                                       \
    MOVE(to, from, k);                                                                             \
  }

/* From k to 2 k bytes, as two copies of k that may share bytes. */
#define DEFINE_RANGE(k, twice)                                                                     \
  INLINE void copy_to_##twice(char *to, const char *from, size_t n)                                \
  {                                                                                                \
    MOVE(to, from, k);                                                                             \
    MOVE(to + n - (k), from + n - (k), k);                                                         \
  }

DEFINE_EXACT(1)
DEFINE_EXACT(2)
DEFINE_EXACT(4)
DEFINE_EXACT(8)
DEFINE_EXACT(12)
DEFINE_EXACT(16)
DEFINE_EXACT(24)
DEFINE_EXACT(32)
DEFINE_EXACT(40)
DEFINE_EXACT(48)
DEFINE_EXACT(64)
DEFINE_RANGE(2, 4)
DEFINE_RANGE(4, 8)
DEFINE_RANGE(8, 16)
DEFINE_RANGE(16, 32)
DEFINE_RANGE(32, 64)
DEFINE_RANGE(64, 128)

/* From 128 to 256 bytes. 8 KiB of rows of 256 bytes, Zen 4: 1.17 times the speed of the
 * loop below. */
INLINE void copy_to_256(char *to, const char *from, size_t n)
{
  MOVE(to, from, 64);
  MOVE(to + 64, from + 64, 64);
  MOVE(to + n - 128, from + n - 128, 64);
  MOVE(to + n - 64, from + n - 64, 64);
}

/* More than 128 bytes. Up to ROW_MOST a loop in place is faster than a call: rows of
 * 1 KiB 1.25 times (8 KiB in all, Zen 4). */
enum { ROW_MOST = 8192 };
INLINE void copy_long(char *to, const char *from, size_t n)
{
  if (n > ROW_MOST) {
    memcpy(to, from, n);
    return;
  }
  size_t i = 0;
  for (; i + 128 < n; i += 128) {
    MOVE(to + i, from + i, 64);
    MOVE(to + i + 64, from + i + 64, 64);
  }
  MOVE(to + n - 128, from + n - 128, 64);
  MOVE(to + n - 64, from + n - 64, 64);
}

#ifndef COPY_12
#define COPY_12 copy_12
#endif
#ifndef COPY_64
#define COPY_64 copy_64
#endif
#ifndef COPY_to_16
#define COPY_to_16 copy_to_16
#endif

/* The loops. `copy` is a constant where they are used, so it is inlined. */
INLINE void strided(char *to, MPJ_Aint to_stride, const char *from, MPJ_Aint from_stride,
                    MPJ_Count block, MPJ_Count count, block_copy *copy)
{
  size_t n = (size_t)block;
  for (; count >= 4; count -= 4) {
    copy(to, from, n);
    copy(to + to_stride, from + from_stride, n);
    to += 2 * to_stride;
    from += 2 * from_stride;
    copy(to, from, n);
    copy(to + to_stride, from + from_stride, n);
    to += 2 * to_stride;
    from += 2 * from_stride;
  }
  for (; count > 0; count--, to += to_stride, from += from_stride)
    copy(to, from, n);
}

/* Blocks of 8 bytes out of a dense stream, whole groups of eight: all are loaded before
 * any is stored. Returns how many. 16 MB, every second double, as a fraction of a loop
 * by hand: 0.85 in turn, 0.93 so. */
INLINE MPJ_Count spread_8(char *to, MPJ_Aint stride, const char *from, MPJ_Count count)
{
  MPJ_Count done = 0;
  for (; count - done >= 8; done += 8, from += 64, to += 4 * stride) {
    uint64_t x[8];
    memcpy(x, from, sizeof x);
    for (int half = 0; half < 8; half += 4) {
      memcpy(to, &x[half], 8);
      memcpy(to + stride, &x[half + 1], 8);
      memcpy(to + 2 * stride, &x[half + 2], 8);
      memcpy(to + 3 * stride, &x[half + 3], 8);
      if (half == 0) to += 4 * stride;
    }
  }
  return done;
}

INLINE void pack_blocks(const char *mem, const int32_t offsets[], char *other, MPJ_Count block,
                        MPJ_Count count, block_copy *copy)
{
  size_t n = (size_t)block;
  for (; count >= 4; count -= 4, offsets += 4, other += 4 * block) {
    copy(other, mem + offsets[0], n);
    copy(other + block, mem + offsets[1], n);
    copy(other + 2 * block, mem + offsets[2], n);
    copy(other + 3 * block, mem + offsets[3], n);
  }
  for (; count > 0; count--, offsets++, other += block)
    copy(other, mem + offsets[0], n);
}

INLINE void unpack_blocks(char *mem, const int32_t offsets[], const char *other, MPJ_Count block,
                          MPJ_Count count, block_copy *copy)
{
  size_t n = (size_t)block;
  for (; count >= 4; count -= 4, offsets += 4, other += 4 * block) {
    copy(mem + offsets[0], other, n);
    copy(mem + offsets[1], other + block, n);
    copy(mem + offsets[2], other + 2 * block, n);
    copy(mem + offsets[3], other + 3 * block, n);
  }
  for (; count > 0; count--, offsets++, other += block)
    copy(mem + offsets[0], other, n);
}

/* The kernels of one class; `k` is its exact block size, or 0. */
#define DEFINE_KERNELS(suffix, k, copy)                                                            \
  static void pack_strided_##suffix(char *mem, MPJ_Aint stride, char *other,                       \
                                    MPJ_Aint other_stride, MPJ_Count block, MPJ_Count count)       \
  {                                                                                                \
    if ((k) <= 32 && pack_permuted(mem, stride, other, other_stride, (k) ? (k) : block, count))    \
      return;                                                                                      \
    MPJ_Count far = 0;                                                                             \
    if (other_stride == block) far = pack_far(other, mem, stride, block, k, count, copy_##suffix); \
    mem += far * stride;                                                                           \
    other += far * block;                                                                          \
    count -= far;                                                                                  \
    if ((k) > 0 && other_stride == (k))                                                            \
      strided(other, k, mem, stride, k, count, copy);                                              \
    else                                                                                           \
      strided(other, other_stride, mem, stride, block, count, copy);                               \
  }                                                                                                \
  static void unpack_strided_##suffix(char *mem, MPJ_Aint stride, char *other,                     \
                                      MPJ_Aint other_stride, MPJ_Count block, MPJ_Count count)     \
  {                                                                                                \
    if ((k) <= 32 && !mpj_blocks_far(block, count) &&                                              \
        unpack_permuted(mem, stride, other, other_stride, (k) ? (k) : block, count))               \
      return;                                                                                      \
    if (((k) == 0 || (k) == 64) && mpj_stream_rows(mem, stride, other, other_stride,               \
                                                   (k) ? (k) : block, count, block * count))       \
      return;                                                                                      \
    if ((k) == 0 && is_far_rows(block, stride, count)) {                                           \
      move_rows(mem, stride, other, other_stride, block, count);                                   \
      return;                                                                                      \
    }                                                                                              \
    MPJ_Count done = (k) == 8 && other_stride == 8 ? spread_8(mem, stride, other, count) : 0;      \
    mem += done * stride;                                                                          \
    other += done * 8;                                                                             \
    count -= done;                                                                                 \
    if ((k) > 0 && other_stride == (k)) {                                                          \
      if (copy != copy_##suffix && apart(stride))                                                  \
        strided(mem, stride, other, k, k, count, copy_##suffix);                                   \
      else                                                                                         \
        strided(mem, stride, other, k, k, count, copy);                                            \
    } else                                                                                         \
      strided(mem, stride, other, other_stride, block, count, copy);                               \
  }                                                                                                \
  static void pack_indexed_##suffix(char *mem, const int32_t offsets[], char *other,               \
                                    MPJ_Count block, MPJ_Count count, bool far)                    \
  {                                                                                                \
    if (far) {                                                                                     \
      pack_blocks(mem, offsets, other, (k) ? (k) : block, count, copy_##suffix);                   \
      return;                                                                                      \
    }                                                                                              \
    MPJ_Count done = pack_listed(mem, offsets, other, k, count);                                   \
    pack_blocks(mem, offsets + done, other + done * (k), (k) ? (k) : block, count - done, copy);   \
  }                                                                                                \
  static void unpack_indexed_##suffix(char *mem, const int32_t offsets[], char *other,             \
                                      MPJ_Count block, MPJ_Count count, bool far)                  \
  {                                                                                                \
    if (far) {                                                                                     \
      unpack_blocks(mem, offsets, other, (k) ? (k) : block, count, copy_##suffix);                 \
      return;                                                                                      \
    }                                                                                              \
    MPJ_Count done = unpack_listed(mem, offsets, other, k, count);                                 \
    unpack_blocks(mem, offsets + done, other + done * (k), (k) ? (k) : block, count - done, copy); \
  }

/* Every class with the suffix of its functions, its size or 0, and its copy. */
#define FOR_EACH_CLASS(X)                                                                          \
  X(MPJ_BLOCK_1, 1, 1, copy_1)                                                                     \
  X(MPJ_BLOCK_2, 2, 2, copy_2)                                                                     \
  X(MPJ_BLOCK_4, 4, 4, copy_4)                                                                     \
  X(MPJ_BLOCK_8, 8, 8, copy_8)                                                                     \
  X(MPJ_BLOCK_12, 12, 12, COPY_12)                                                                 \
  X(MPJ_BLOCK_16, 16, 16, copy_16)                                                                 \
  X(MPJ_BLOCK_24, 24, 24, copy_24)                                                                 \
  X(MPJ_BLOCK_32, 32, 32, copy_32)                                                                 \
  X(MPJ_BLOCK_40, 40, 40, copy_40)                                                                 \
  X(MPJ_BLOCK_48, 48, 48, copy_48)                                                                 \
  X(MPJ_BLOCK_64, 64, 64, COPY_64)                                                                 \
  X(MPJ_BLOCK_TO_4, to_4, 0, copy_to_4)                                                            \
  X(MPJ_BLOCK_TO_8, to_8, 0, copy_to_8)                                                            \
  X(MPJ_BLOCK_TO_16, to_16, 0, COPY_to_16)                                                         \
  X(MPJ_BLOCK_TO_32, to_32, 0, copy_to_32)                                                         \
  X(MPJ_BLOCK_TO_64, to_64, 0, copy_to_64)                                                         \
  X(MPJ_BLOCK_TO_128, to_128, 0, copy_to_128)                                                      \
  X(MPJ_BLOCK_TO_256, to_256, 0, copy_to_256)                                                      \
  X(MPJ_BLOCK_LONG, long, 0, copy_long)

#define X(class, suffix, k, copy) DEFINE_KERNELS(suffix, k, copy)
FOR_EACH_CLASS(X)
#undef X

#ifndef COPY_DENSE
#define COPY_DENSE memcpy
#endif

static void pack_dense(char *mem, char *other, MPJ_Count bytes)
{
  COPY_DENSE(other, mem, (size_t)bytes);
}

static void unpack_dense(char *mem, char *other, MPJ_Count bytes)
{
  COPY_DENSE(mem, other, (size_t)bytes);
}

/* A block of any size. */
INLINE void copy_any(char *to, const char *from, size_t n)
{
  if (n > 128)
    copy_long(to, from, n);
  else if (n >= 64)
    copy_to_128(to, from, n);
  else if (n >= 32)
    copy_to_64(to, from, n);
  else if (n >= 16)
    copy_to_32(to, from, n);
  else if (n >= 8)
    copy_to_16(to, from, n);
  else
    memcpy(to, from, n);
}

static void pack_varied(char *mem, const MPJ_Aint displs[], const MPJ_Count copies[],
                        MPJ_Count unit, char *other, MPJ_Count count)
{
  for (MPJ_Count i = 0; i < count; i++) {
    size_t bytes = (size_t)(copies[i] * unit);
    copy_any(other, mem + displs[i], bytes);
    other += bytes;
  }
}

static void unpack_varied(char *mem, const MPJ_Aint displs[], const MPJ_Count copies[],
                          MPJ_Count unit, char *other, MPJ_Count count)
{
  for (MPJ_Count i = 0; i < count; i++) {
    size_t bytes = (size_t)(copies[i] * unit);
    copy_any(mem + displs[i], other, bytes);
    other += bytes;
  }
}

#ifndef EXPAND
/* Eight units of a block at once, whether it has them or not: nothing is to be guessed. */
static MPJ_Count expand_units(const int32_t displs[], const int32_t copies[], MPJ_Count n,
                              int32_t least, int32_t most, int32_t copies_in_unit, int32_t unit,
                              int32_t out[])
{
  const uint32_t reciprocal = 65536 / (uint32_t)copies_in_unit + 1;
  const int lanes = most / copies_in_unit > 4 ? 8 : 4;
  int32_t *to = out;
  for (MPJ_Count i = 0; i < n; i++) {
    for (int k = 0; k < lanes; k++)
      to[k] = displs[i] + k * unit;
    to += (uint32_t)(least + copies[i]) * reciprocal >> 16;
  }
  return to - out;
}
#define EXPAND expand_units
#endif

#define PACK_STRIDED(class, suffix, k, copy) [class] = pack_strided_##suffix,
#define UNPACK_STRIDED(class, suffix, k, copy) [class] = unpack_strided_##suffix,
#define PACK_INDEXED(class, suffix, k, copy) [class] = pack_indexed_##suffix,
#define UNPACK_INDEXED(class, suffix, k, copy) [class] = unpack_indexed_##suffix,

const struct mpj_kernels KERNEL_SET = {
    .name = KERNEL_SET_NAME,
    .pack = {.dense = pack_dense,
             .varied = pack_varied,
             .strided = {FOR_EACH_CLASS(PACK_STRIDED)},
             .indexed = {FOR_EACH_CLASS(PACK_INDEXED)}},
    .unpack = {.into_mem = true,
               .dense = unpack_dense,
               .varied = unpack_varied,
               .strided = {FOR_EACH_CLASS(UNPACK_STRIDED)},
               .indexed = {FOR_EACH_CLASS(UNPACK_INDEXED)}},
    .expand = EXPAND,
};

#endif
