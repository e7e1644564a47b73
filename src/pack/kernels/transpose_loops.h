/* This header defines a set of transpositions: squares of k x k units, which fit
 * the registers, in the order that is kind to caches and address translation. A
 * source for one instruction set includes it, once, after it has defined
 *
 *   TRANSPOSE_SET           the set's identifier
 *   SQUARE_4, _8, _16       k for units of so many bytes
 *   square_4, _8, _16       functions: one square of k x k units
 *   edge_4, _8, _16         functions: up to k x k units */
#ifndef MPJ_SRC_PACK_KERNELS_TRANSPOSE_LOOPS_H
#define MPJ_SRC_PACK_KERNELS_TRANSPOSE_LOOPS_H

#include "pack/kernels/kernels_inline.h"
#include "pack/kernels/transpose.h"
#include "pack/run/address.h"

typedef void square_fn(char *to, MPJ_Aint to_stride, const char *from, MPJ_Aint from_stride,
                       bool stream);
typedef void edge_fn(char *to, MPJ_Aint to_stride, const char *from, MPJ_Aint from_stride,
                     MPJ_Count rows, MPJ_Count cols);

/* Bytes of a row in a tile, of `to` and of `from`: what is read is a page's worth in a row, which
 * the prefetcher follows, and the rows of both sides are so few that their pages stay known to
 * the second-level TLB. 128 MiB, Sapphire Rapids: with 512 of from 3.4 GB/s, 2048 6.5, 4096 7.4,
 * 8192 6.9 (mpj-bench pack, transpose). */
enum { TILE_TO = 512, TILE_FROM = 4096 };

/* A strip one square wide meets a new page with every line where the stride is
 * large, and no prefetcher follows: ask for the lines so many squares ahead. Strips
 * of 4096 doubles, 32 KiB apart: 0.77 to 0.95 of a tiled loop over the whole. */
enum { AHEAD_ROWS = 1, AHEAD_COLS = 2 }; /* of from, of to */
enum { STRIP_AHEAD = 4, STRIP_BYTES = 1 << 22 };

INLINE bool is_strip(MPJ_Count width, MPJ_Count k, MPJ_Count length, MPJ_Aint stride)
{
  return width <= k && length * (stride < 0 ? -stride : stride) >= STRIP_BYTES;
}

/* One tile, square by square along from's rows: a line of it that does not fall
 * on squares' borders is still at hand when the next square needs it. */
INLINE void transpose_tile(char *to, MPJ_Aint to_stride, const char *from, MPJ_Aint from_stride,
                           MPJ_Count rows, MPJ_Count cols, bool stream, int ahead, MPJ_Count unit,
                           MPJ_Count k, square_fn *square, edge_fn *edge)
{
  MPJ_Count tall = rows - rows % k, wide = cols - cols % k, c;
  for (MPJ_Count r = 0; r < tall; r += k, to += k * unit, from += k * from_stride) {
    if (ahead & AHEAD_ROWS)
      for (MPJ_Count i = 0; i < k; i++)
        __builtin_prefetch(mpj_at(from, (STRIP_AHEAD * k + i) * from_stride));
    for (c = 0; c < wide; c += k) {
      if (ahead & AHEAD_COLS)
        for (MPJ_Count i = 0; i < k; i++)
          __builtin_prefetch(mpj_at(to, (c + STRIP_AHEAD * k + i) * to_stride), 1);
      square(to + c * to_stride, to_stride, from + c * unit, from_stride, stream);
    }
    if (c < cols) edge(to + c * to_stride, to_stride, from + c * unit, from_stride, k, cols - c);
  }
  if (tall == rows) return;
  for (c = 0; c < cols; c += k)
    edge(to + c * to_stride, to_stride, from + c * unit, from_stride, rows - tall,
         cols - c < k ? cols - c : k);
}

/* Whether every row of `to` lies on vectors' borders, as streaming stores want. */
INLINE bool is_aligned(const char *to, MPJ_Aint to_stride)
{
  return ((uintptr_t)to | (uintptr_t)to_stride) % 64 == 0;
}

#define DEFINE_TRANSPOSE(unit)                                                                     \
  static void transpose_##unit(char *to, MPJ_Aint to_stride, const char *from,                     \
                               MPJ_Aint from_stride, MPJ_Count rows, MPJ_Count cols, bool stream)  \
  {                                                                                                \
    const MPJ_Count tall = TILE_TO / (unit), wide = TILE_FROM / (unit);                            \
    const MPJ_Count k = SQUARE_##unit;                                                             \
    int ahead = (is_strip(cols, k, rows, from_stride) ? AHEAD_ROWS : 0) |                          \
                (is_strip(rows, k, cols, to_stride) ? AHEAD_COLS : 0);                             \
    stream = stream && is_aligned(to, to_stride);                                                  \
    for (MPJ_Count c = 0; c < cols; c += wide)                                                     \
      for (MPJ_Count r = 0; r < rows; r += tall)                                                   \
        transpose_tile(to + c * to_stride + r * (unit), to_stride,                                 \
                       from + r * from_stride + c * (unit), from_stride,                           \
                       rows - r < tall ? rows - r : tall, cols - c < wide ? cols - c : wide,       \
                       stream, ahead, unit, k, square_##unit, edge_##unit);                        \
  }

DEFINE_TRANSPOSE(4)
DEFINE_TRANSPOSE(8)
DEFINE_TRANSPOSE(16)

const struct mpj_transposes TRANSPOSE_SET = {
    .of_4 = transpose_4, .of_8 = transpose_8, .of_16 = transpose_16};

#endif
