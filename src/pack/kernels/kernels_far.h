/* This header moves strided blocks whose lines exceed the second-level cache, for every
 * set: kernels_loops.h includes it, after the set has defined pack_far_vectors. They come
 * from memory, and what counts is how the stream is written, in whole vectors that fill
 * cache lines, and that many loads stand side by side in the code: groups of 16 blocks go
 * through a stage. 16 MB, Zen 4, as a fraction of a loop by hand: 40-byte blocks 0.72 to
 * 1.04, 12-byte ones (by plain copies: 0.73 under masks) 0.60 to 0.80; rows of 3 KiB by
 * memcpy 0.62 to 1.0. */
#ifndef MPJ_SRC_PACK_KERNELS_KERNELS_FAR_H
#define MPJ_SRC_PACK_KERNELS_KERNELS_FAR_H

#include <stdbool.h>
#include <string.h>

#include "pack/kernels/kernels.h"
#include "pack/kernels/kernels_inline.h"

enum { LINE = 64, FAR_ROW = 2048, FAR_LEAST = 12, FAR_MOST = 48, FAR_GROUP = 16 };

/* Whether every block lies in cache lines of its own. */
INLINE bool apart(MPJ_Aint stride)
{
  return stride >= LINE || stride <= -LINE;
}

INLINE void stage_4(char *to, MPJ_Count k, const char *from, MPJ_Aint stride, block_copy *copy)
{
  size_t n = (size_t)k;
  copy(to, from, n);
  copy(to + k, from + stride, n);
  copy(to + 2 * k, from + 2 * stride, n);
  copy(to + 3 * k, from + 3 * stride, n);
}

/* Groups of blocks of k bytes, k a multiple of 4 in [FAR_LEAST, FAR_MOST]. Returns
 * how many blocks it packed. */
INLINE MPJ_Count pack_groups(char *to, const char *from, MPJ_Aint stride, MPJ_Count k,
                             MPJ_Count count, block_copy *copy)
{
  char stage[FAR_GROUP * FAR_MOST] __attribute__((aligned(64)));
  MPJ_Count done = 0;
  for (; count - done >= FAR_GROUP; done += FAR_GROUP, from += FAR_GROUP * stride) {
    stage_4(stage, k, from, stride, copy);
    stage_4(stage + 4 * k, k, from + 4 * stride, stride, copy);
    stage_4(stage + 8 * k, k, from + 8 * stride, stride, copy);
    stage_4(stage + 12 * k, k, from + 12 * stride, stride, copy);
    __asm__ volatile("" : : : "memory"); /* or the stage is optimised away */
    for (MPJ_Count i = 0; i < FAR_GROUP * k; i += 64, to += 64)
      memcpy(to, stage + i, 64);
  }
  return done;
}

/* Rows far from one another, which go by memcpy; of neighbours the loop makes one stream
 * (3 KiB rows, B, of a loop by hand: unpacked 24 KiB apart 0.88 to 0.97, 16 bytes apart
 * 1.25 to 0.92, packed 16 bytes apart 1.1 to 1.0). */
INLINE bool is_far_rows(MPJ_Count block, MPJ_Aint stride, MPJ_Count count)
{
  return block >= FAR_ROW && (stride >= 2 * block || stride <= -2 * block) &&
         mpj_blocks_far(block, count);
}

INLINE void move_rows(char *to, MPJ_Aint to_stride, const char *from, MPJ_Aint from_stride,
                      MPJ_Count block, MPJ_Count count)
{
  for (; count > 0; count--, to += to_stride, from += from_stride)
    memcpy(to, from, (size_t)block);
}

/* As many of the blocks as there is a better way for, if they are far apart; they
 * are dense in `to`, and k is 0 or their size. Returns their number. */
INLINE MPJ_Count pack_far(char *to, const char *from, MPJ_Aint stride, MPJ_Count block, MPJ_Count k,
                          MPJ_Count count, block_copy *copy)
{
  if (k == 0) {
    if (!is_far_rows(block, stride, count)) return 0;
    move_rows(to, block, from, stride, block, count);
    return count;
  }
  if (k < FAR_LEAST || k > FAR_MOST || !apart(stride) || !mpj_blocks_far(k, count)) return 0;
  MPJ_Count done = pack_far_vectors(to, from, stride, k, count);
  return done > 0 ? done : pack_groups(to, from, stride, k, count, copy);
}

#endif
