/* This file transposes in registers of 32 bytes, half a cache line: a quad fills the registers, and
 * four of them are a square, of which the two that share lines of `to` follow each other, or each
 * half that goes past the caches would be a write to memory of its own (4096 x 4096 doubles to rows
 * of 4104, Zen 3: 2.6 GB/s by single quads, 12.7 so). */
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/least.h"
#include "pack/kernels/kernels_inline.h"
#include "pack/kernels/transpose_units.h"

DEFINE_UNITS(4)
DEFINE_UNITS(8)
DEFINE_UNITS(16)

#define SQUARE_4 16
#define SQUARE_8 8
#define SQUARE_16 4

INLINE __m256i load(const char *from)
{
  return _mm256_loadu_si256((const __m256i *)from);
}

INLINE void store(char *to, __m256i v, bool stream)
{
  if (stream)
    _mm256_stream_si256((__m256i *)to, v);
  else
    _mm256_storeu_si256((__m256i *)to, v);
}

INLINE __m256i low_lanes(__m256i a, __m256i b)
{
  return _mm256_permute2x128_si256(a, b, 0x20);
}

INLINE __m256i high_lanes(__m256i a, __m256i b)
{
  return _mm256_permute2x128_si256(a, b, 0x31);
}

INLINE void quad_16(char *to, MPJ_Aint to_stride, const char *from, MPJ_Aint from_stride,
                    bool stream)
{
  __m256i a = load(from), b = load(from + from_stride);
  store(to, low_lanes(a, b), stream);
  store(to + to_stride, high_lanes(a, b), stream);
}

INLINE void quad_8(char *to, MPJ_Aint to_stride, const char *from, MPJ_Aint from_stride,
                   bool stream)
{
  __m256i a = load(from), b = load(from + from_stride);
  __m256i c = load(from + 2 * from_stride), d = load(from + 3 * from_stride);
  __m256i even_ab = _mm256_unpacklo_epi64(a, b), odd_ab = _mm256_unpackhi_epi64(a, b);
  __m256i even_cd = _mm256_unpacklo_epi64(c, d), odd_cd = _mm256_unpackhi_epi64(c, d);
  store(to, low_lanes(even_ab, even_cd), stream);
  store(to + to_stride, low_lanes(odd_ab, odd_cd), stream);
  store(to + 2 * to_stride, high_lanes(even_ab, even_cd), stream);
  store(to + 3 * to_stride, high_lanes(odd_ab, odd_cd), stream);
}

/* Four rows of 8 words as 4 vectors: vector j has columns j and j + 4. */
INLINE void columns_of_4_rows(const char *from, MPJ_Aint from_stride, __m256i columns[4])
{
  __m256i a = load(from), b = load(from + from_stride);
  __m256i c = load(from + 2 * from_stride), d = load(from + 3 * from_stride);
  __m256i ab = _mm256_unpacklo_epi32(a, b), ab_high = _mm256_unpackhi_epi32(a, b);
  __m256i cd = _mm256_unpacklo_epi32(c, d), cd_high = _mm256_unpackhi_epi32(c, d);
  columns[0] = _mm256_unpacklo_epi64(ab, cd);
  columns[1] = _mm256_unpackhi_epi64(ab, cd);
  columns[2] = _mm256_unpacklo_epi64(ab_high, cd_high);
  columns[3] = _mm256_unpackhi_epi64(ab_high, cd_high);
}

INLINE void quad_4(char *to, MPJ_Aint to_stride, const char *from, MPJ_Aint from_stride,
                   bool stream)
{
  __m256i top[4], bottom[4];
  columns_of_4_rows(from, from_stride, top);
  columns_of_4_rows(from + 4 * from_stride, from_stride, bottom);
  for (int j = 0; j < 4; j++) {
    store(to + j * to_stride, low_lanes(top[j], bottom[j]), stream);
    store(to + (j + 4) * to_stride, high_lanes(top[j], bottom[j]), stream);
  }
}

#define DEFINE_SQUARE(unit)                                                                        \
  INLINE void square_##unit(char *to, MPJ_Aint to_stride, const char *from, MPJ_Aint from_stride,  \
                            bool stream)                                                           \
  {                                                                                                \
    enum { HALF = SQUARE_##unit / 2 };                                                             \
    const char *below = from + HALF * from_stride;                                                 \
    quad_##unit(to, to_stride, from, from_stride, stream);                                         \
    quad_##unit(to + HALF * (unit), to_stride, below, from_stride, stream);                        \
    to += HALF * to_stride;                                                                        \
    quad_##unit(to, to_stride, from + HALF * (unit), from_stride, stream);                         \
    quad_##unit(to + HALF * (unit), to_stride, below + HALF * (unit), from_stride, stream);        \
  }                                                                                                \
  static void edge_##unit(char *to, MPJ_Aint to_stride, const char *from, MPJ_Aint from_stride,    \
                          MPJ_Count rows, MPJ_Count cols)                                          \
  {                                                                                                \
    enum { HALF = SQUARE_##unit / 2 };                                                             \
    for (MPJ_Count r = 0; r < rows; r += HALF, to += HALF * (unit), from += HALF * from_stride)    \
      for (MPJ_Count c = 0; c < cols; c += HALF)                                                   \
        if (rows - r >= HALF && cols - c >= HALF)                                                  \
          quad_##unit(to + c * to_stride, to_stride, from + c * (unit), from_stride, false);       \
        else                                                                                       \
          units_##unit(to + c * to_stride, to_stride, from + c * (unit), from_stride,              \
                       mpj_least(rows - r, HALF), mpj_least(cols - c, HALF));                      \
  }

DEFINE_SQUARE(4)
DEFINE_SQUARE(8)
DEFINE_SQUARE(16)

#define TRANSPOSE_SET mpj_transposes_avx2
#include "pack/kernels/transpose_loops.h"
