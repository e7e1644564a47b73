/* This file implements the plain C kernels: one loop per shape, compiled once
 * for each class of block sizes so that its block copy is a few moves. */
#include "pack/kernels.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Copies one block of n bytes, given its class's size k: exactly k, or, in the
 * "to" classes, from k to 2 k bytes as two moves of k. k == 0: memcpy. */
typedef void block_copy(char *to, const char *from, size_t n);

#define DEFINE_EXACT(k)                                                                            \
  INLINE void copy_##k(char *to, const char *from, size_t n)                                       \
  {                                                                                                \
    (void)n;                                                                                       \
    memcpy(to, from, k);                                                                           \
  }

#define DEFINE_RANGE(k, twice)                                                                     \
  INLINE void copy_to_##twice(char *to, const char *from, size_t n)                                \
  {                                                                                                \
    memcpy(to, from, k);                                                                           \
    memcpy(to + n - (k), from + n - (k), k);                                                       \
  }

DEFINE_EXACT(1)
DEFINE_EXACT(2)
DEFINE_EXACT(4)
DEFINE_EXACT(8)
DEFINE_EXACT(12)
DEFINE_EXACT(16)
DEFINE_EXACT(24)
DEFINE_EXACT(32)
DEFINE_EXACT(64)
DEFINE_RANGE(2, 4)
DEFINE_RANGE(4, 8)
DEFINE_RANGE(8, 16)
DEFINE_RANGE(16, 32)
DEFINE_RANGE(32, 64)
DEFINE_RANGE(64, 128)

INLINE void copy_long(char *to, const char *from, size_t n)
{
  memcpy(to, from, n);
}

/* The loops. `copy` is a constant where they are used, so it is inlined. Four
 * blocks a turn move doubles at a stride of 16 bytes twice as fast as one. */
INLINE void strided(char *to, MPJ_Aint to_stride, const char *from, MPJ_Aint from_stride,
                    MPJ_Count block, MPJ_Count count, block_copy *copy)
{
  MPJ_Count i = 0;
  for (; i + 4 <= count; i += 4) {
    copy(to + i * to_stride, from + i * from_stride, (size_t)block);
    copy(to + (i + 1) * to_stride, from + (i + 1) * from_stride, (size_t)block);
    copy(to + (i + 2) * to_stride, from + (i + 2) * from_stride, (size_t)block);
    copy(to + (i + 3) * to_stride, from + (i + 3) * from_stride, (size_t)block);
  }
  for (; i < count; i++)
    copy(to + i * to_stride, from + i * from_stride, (size_t)block);
}

INLINE void pack_indexed(char *mem, const MPJ_Aint displs[], char *other, MPJ_Count block,
                         MPJ_Count count, block_copy *copy)
{
  for (MPJ_Count i = 0; i < count; i++)
    copy(other + i * block, mem + displs[i], (size_t)block);
}

INLINE void unpack_indexed(char *mem, const MPJ_Aint displs[], const char *other, MPJ_Count block,
                           MPJ_Count count, block_copy *copy)
{
  for (MPJ_Count i = 0; i < count; i++)
    copy(mem + displs[i], other + i * block, (size_t)block);
}

#define DEFINE_KERNELS(suffix)                                                                     \
  static void pack_strided_##suffix(char *mem, MPJ_Aint stride, char *other,                       \
                                    MPJ_Aint other_stride, MPJ_Count block, MPJ_Count count)       \
  {                                                                                                \
    strided(other, other_stride, mem, stride, block, count, copy_##suffix);                        \
  }                                                                                                \
  static void unpack_strided_##suffix(char *mem, MPJ_Aint stride, char *other,                     \
                                      MPJ_Aint other_stride, MPJ_Count block, MPJ_Count count)     \
  {                                                                                                \
    strided(mem, stride, other, other_stride, block, count, copy_##suffix);                        \
  }                                                                                                \
  static void pack_indexed_##suffix(char *mem, const MPJ_Aint displs[], char *other,               \
                                    MPJ_Count block, MPJ_Count count)                              \
  {                                                                                                \
    pack_indexed(mem, displs, other, block, count, copy_##suffix);                                 \
  }                                                                                                \
  static void unpack_indexed_##suffix(char *mem, const MPJ_Aint displs[], char *other,             \
                                      MPJ_Count block, MPJ_Count count)                            \
  {                                                                                                \
    unpack_indexed(mem, displs, other, block, count, copy_##suffix);                               \
  }

/* Every class with the suffix of its functions. */
#define FOR_EACH_CLASS(X)                                                                          \
  X(MPJ_BLOCK_1, 1)                                                                                \
  X(MPJ_BLOCK_2, 2)                                                                                \
  X(MPJ_BLOCK_4, 4)                                                                                \
  X(MPJ_BLOCK_8, 8)                                                                                \
  X(MPJ_BLOCK_12, 12)                                                                              \
  X(MPJ_BLOCK_16, 16)                                                                              \
  X(MPJ_BLOCK_24, 24)                                                                              \
  X(MPJ_BLOCK_32, 32)                                                                              \
  X(MPJ_BLOCK_64, 64)                                                                              \
  X(MPJ_BLOCK_TO_4, to_4)                                                                          \
  X(MPJ_BLOCK_TO_8, to_8)                                                                          \
  X(MPJ_BLOCK_TO_16, to_16)                                                                        \
  X(MPJ_BLOCK_TO_32, to_32)                                                                        \
  X(MPJ_BLOCK_TO_64, to_64)                                                                        \
  X(MPJ_BLOCK_TO_128, to_128)                                                                      \
  X(MPJ_BLOCK_LONG, long)

#define X(class, suffix) DEFINE_KERNELS(suffix)
FOR_EACH_CLASS(X)
#undef X

static void pack_dense(char *mem, char *other, MPJ_Count bytes)
{
  memcpy(other, mem, (size_t)bytes);
}

static void unpack_dense(char *mem, char *other, MPJ_Count bytes)
{
  memcpy(mem, other, (size_t)bytes);
}

static void pack_varied(char *mem, const MPJ_Aint displs[], const MPJ_Count copies[],
                        MPJ_Count unit, char *other, MPJ_Count count)
{
  for (MPJ_Count i = 0; i < count; i++) {
    size_t bytes = (size_t)(copies[i] * unit);
    memcpy(other, mem + displs[i], bytes);
    other += bytes;
  }
}

static void unpack_varied(char *mem, const MPJ_Aint displs[], const MPJ_Count copies[],
                          MPJ_Count unit, char *other, MPJ_Count count)
{
  for (MPJ_Count i = 0; i < count; i++) {
    size_t bytes = (size_t)(copies[i] * unit);
    memcpy(mem + displs[i], other, bytes);
    other += bytes;
  }
}

static enum mpj_block_class range_class(MPJ_Count bytes)
{
  if (bytes < 4) return MPJ_BLOCK_TO_4;
  if (bytes < 8) return MPJ_BLOCK_TO_8;
  if (bytes < 16) return MPJ_BLOCK_TO_16;
  if (bytes < 32) return MPJ_BLOCK_TO_32;
  if (bytes < 64) return MPJ_BLOCK_TO_64;
  return bytes <= 128 ? MPJ_BLOCK_TO_128 : MPJ_BLOCK_LONG;
}

enum mpj_block_class mpj_block_class(MPJ_Count bytes)
{
  switch (bytes) {
  case 1:
    return MPJ_BLOCK_1;
  case 2:
    return MPJ_BLOCK_2;
  case 4:
    return MPJ_BLOCK_4;
  case 8:
    return MPJ_BLOCK_8;
  case 12:
    return MPJ_BLOCK_12;
  case 16:
    return MPJ_BLOCK_16;
  case 24:
    return MPJ_BLOCK_24;
  case 32:
    return MPJ_BLOCK_32;
  case 64:
    return MPJ_BLOCK_64;
  default:
    return range_class(bytes);
  }
}

const struct mpj_kernels *mpj_kernels(void)
{
  return &mpj_kernels_plain;
}

#define PACK_STRIDED(class, suffix) [class] = pack_strided_##suffix,
#define UNPACK_STRIDED(class, suffix) [class] = unpack_strided_##suffix,
#define PACK_INDEXED(class, suffix) [class] = pack_indexed_##suffix,
#define UNPACK_INDEXED(class, suffix) [class] = unpack_indexed_##suffix,

const struct mpj_kernels mpj_kernels_plain = {
    .name = "plain",
    .pack = {.dense = pack_dense,
             .varied = pack_varied,
             .strided = {FOR_EACH_CLASS(PACK_STRIDED)},
             .indexed = {FOR_EACH_CLASS(PACK_INDEXED)}},
    .unpack = {.dense = unpack_dense,
               .varied = unpack_varied,
               .strided = {FOR_EACH_CLASS(UNPACK_STRIDED)},
               .indexed = {FOR_EACH_CLASS(UNPACK_INDEXED)}},
};
