/* This header declares kernels: the innermost loops of every copy, chosen by
 * the block's size.
 *
 * A kernel moves blocks between `mem`, the user's layout, and `other`, the
 * packed stream or, in a copy from layout to layout, a second layout. The two
 * never overlap, and neither need be aligned. A set holds every kernel in both
 * directions; one set is in use for the whole process. */
#ifndef MPJ_SRC_PACK_KERNELS_KERNELS_H
#define MPJ_SRC_PACK_KERNELS_KERNELS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <mpj/base.h>

/* Classes of block sizes in bytes: exact ones, ranges between powers of two
 * (moved as two pieces that may share bytes), and the rest (memcpy). */
enum mpj_block_class {
  MPJ_BLOCK_1,
  MPJ_BLOCK_2,
  MPJ_BLOCK_4,
  MPJ_BLOCK_8,
  MPJ_BLOCK_12,
  MPJ_BLOCK_16,
  MPJ_BLOCK_24,
  MPJ_BLOCK_32,
  MPJ_BLOCK_40,
  MPJ_BLOCK_48,
  MPJ_BLOCK_64,
  MPJ_BLOCK_TO_4,
  MPJ_BLOCK_TO_8,
  MPJ_BLOCK_TO_16,
  MPJ_BLOCK_TO_32,
  MPJ_BLOCK_TO_64,
  MPJ_BLOCK_TO_128,
  MPJ_BLOCK_TO_256,
  MPJ_BLOCK_LONG,
  MPJ_BLOCK_CLASSES
};

/* The classes of 0 (none), 1, 2, ... bytes. */
enum { MPJ_BLOCK_TABLE = 257 };
extern const unsigned char mpj_block_classes[MPJ_BLOCK_TABLE];

/* The class of blocks of `bytes` >= 1 bytes. */
static inline enum mpj_block_class mpj_block_class(MPJ_Count bytes)
{
  return bytes < MPJ_BLOCK_TABLE ? (enum mpj_block_class)mpj_block_classes[bytes] : MPJ_BLOCK_LONG;
}

/* One dense block. */
typedef void mpj_dense_kernel(char *mem, char *other, MPJ_Count bytes);

/* count >= 0 blocks of `block` bytes, block i at i * stride bytes in mem and at
 * i * other_stride in other. Block sizes must be of the kernel's class. */
typedef void mpj_strided_kernel(char *mem, MPJ_Aint stride, char *other, MPJ_Aint other_stride,
                                MPJ_Count block, MPJ_Count count);

/* Whether so many blocks, on lines of their own, are more than the caches keep: they come
 * from memory. */
static inline bool mpj_blocks_far(MPJ_Count block, MPJ_Count count)
{
  return count * (block + 64) >= 1 << 22;
}

/* count blocks of `block` bytes, block i at offsets[i] bytes in mem; dense in
 * other. far: they are some of so many. */
typedef void mpj_indexed_kernel(char *mem, const int32_t offsets[], char *other, MPJ_Count block,
                                MPJ_Count count, bool far);

/* The offsets of the units of n blocks: block i has (least + copies[i]) / copies_in_unit of
 * them, 1 to MPJ_EXPAND_MOST, `unit` bytes apart, the first at displs[i]. Returns how many there
 * are; up to MPJ_EXPAND_SPARE behind them are overwritten. `most` is no less than the most
 * copies of a block; it and copies_in_unit are at most MPJ_EXPAND_COPIES. */
enum { MPJ_EXPAND_SPARE = 16, MPJ_EXPAND_MOST = 8, MPJ_EXPAND_COPIES = 255 };
typedef MPJ_Count mpj_expand_kernel(const int32_t displs[], const int32_t copies[], MPJ_Count n,
                                    int32_t least, int32_t most, int32_t copies_in_unit,
                                    int32_t unit, int32_t out[]);

/* count blocks, block i of copies[i] * unit bytes at displs[i] bytes in mem;
 * dense in other. */
typedef void mpj_varied_kernel(char *mem, const MPJ_Aint displs[], const MPJ_Count copies[],
                               MPJ_Count unit, char *other, MPJ_Count count);

/* The kernels of one direction. */
struct mpj_moves {
  bool combines; /* a reduction: mem := other (op) mem, which no mere move may replace */
  bool into_mem; /* unpack */
  mpj_dense_kernel *dense;
  mpj_varied_kernel *varied;
  mpj_strided_kernel *strided[MPJ_BLOCK_CLASSES];
  mpj_indexed_kernel *indexed[MPJ_BLOCK_CLASSES];
};

struct mpj_kernels {
  const char *name;        /* "portable", "avx2", "avx512" */
  struct mpj_moves pack;   /* other := mem */
  struct mpj_moves unpack; /* mem := other */
  mpj_expand_kernel *expand;
};

/* The sets of this build; all give the same bytes. */
extern const struct mpj_kernels mpj_kernels_plain;
extern const struct mpj_kernels mpj_kernels_avx2;   /* on x86-64 only */
extern const struct mpj_kernels mpj_kernels_avx512; /* on x86-64 only */

/* Kernels for the AVX-512 set on processors with fast gathers; on x86-64 only. */
mpj_indexed_kernel mpj_pack_gather_4, mpj_pack_gather_8;

/* Those that this processor can run, in the order of the levels, and with gathers
 * last; returns their number. */
enum { MPJ_KERNEL_SETS = 4 };

/* The set in use: by cpu feature and MPJ_CPU (base/machine/cpu.h), chosen by the first
 * call. Threads: any. */
extern _Atomic(const struct mpj_kernels *) mpj_kernels_chosen;

#endif
