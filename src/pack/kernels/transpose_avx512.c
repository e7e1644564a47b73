/* This file transposes in registers of 64 bytes: a square has whole cache lines
 * on both sides where they are aligned. Edges are the same squares under masks. */
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#include <mpj/base.h>

#include "pack/kernels/kernels_inline.h"
#include "pack/kernels/transpose_units.h"

DEFINE_UNITS(4)
DEFINE_UNITS(8)
DEFINE_UNITS(16)

#define SQUARE_4 16
#define SQUARE_8 8
#define SQUARE_16 4

/* 4 x 4 lanes of 16 bytes: v[4 * i] is row i; results in the same places. */
INLINE void transpose_lanes(__m512i v[], int step)
{
  __m512i ab_low = _mm512_shuffle_i64x2(v[0], v[step], 0x44);
  __m512i ab_high = _mm512_shuffle_i64x2(v[0], v[step], 0xee);
  __m512i cd_low = _mm512_shuffle_i64x2(v[2 * step], v[3 * step], 0x44);
  __m512i cd_high = _mm512_shuffle_i64x2(v[2 * step], v[3 * step], 0xee);
  v[0] = _mm512_shuffle_i64x2(ab_low, cd_low, 0x88);
  v[step] = _mm512_shuffle_i64x2(ab_low, cd_low, 0xdd);
  v[2 * step] = _mm512_shuffle_i64x2(ab_high, cd_high, 0x88);
  v[3 * step] = _mm512_shuffle_i64x2(ab_high, cd_high, 0xdd);
}

INLINE void registers_16(__m512i v[4])
{
  transpose_lanes(v, 1);
}

/* Rows in pairs to lanes of 2 units of one column each, then lanes. */
INLINE void registers_8(__m512i v[8])
{
  for (int i = 0; i < 8; i += 2) {
    __m512i a = v[i], b = v[i + 1];
    v[i] = _mm512_unpacklo_epi64(a, b);
    v[i + 1] = _mm512_unpackhi_epi64(a, b);
  }
  transpose_lanes(v, 2);
  transpose_lanes(v + 1, 2);
}

/* Rows in fours to lanes of 4 units of one column each, then lanes. */
INLINE void registers_4(__m512i v[16])
{
  for (int i = 0; i < 16; i += 4) {
    __m512i ab = _mm512_unpacklo_epi32(v[i], v[i + 1]);
    __m512i ab_high = _mm512_unpackhi_epi32(v[i], v[i + 1]);
    __m512i cd = _mm512_unpacklo_epi32(v[i + 2], v[i + 3]);
    __m512i cd_high = _mm512_unpackhi_epi32(v[i + 2], v[i + 3]);
    v[i] = _mm512_unpacklo_epi64(ab, cd);
    v[i + 1] = _mm512_unpackhi_epi64(ab, cd);
    v[i + 2] = _mm512_unpacklo_epi64(ab_high, cd_high);
    v[i + 3] = _mm512_unpackhi_epi64(ab_high, cd_high);
  }
  for (int i = 0; i < 4; i++)
    transpose_lanes(v + i, 4);
}

/* The lowest n units of a vector of k as a mask of its 16 words. */
INLINE __mmask16 words(MPJ_Count n, int k)
{
  return (__mmask16)((1u << (unsigned)(n * (16 / k))) - 1);
}

INLINE void load_rows(__m512i v[], const char *from, MPJ_Aint stride, int k)
{
  for (int i = 0; i < k; i++)
    v[i] = _mm512_loadu_si512(from + i * stride);
}

INLINE void store_rows(char *to, MPJ_Aint stride, const __m512i v[], int k, bool stream)
{
  for (int i = 0; i < k; i++)
    if (stream)
      _mm512_stream_si512((__m512i *)(to + i * stride), v[i]);
    else
      _mm512_storeu_si512(to + i * stride, v[i]);
}

/* The first `rows` of k rows, the first `cols` units of each. */
INLINE void load_edge(__m512i v[], const char *from, MPJ_Aint stride, int k, MPJ_Count rows,
                      MPJ_Count cols)
{
  __mmask16 mask = words(cols, k);
  for (int i = 0; i < k; i++) {
    v[i] = _mm512_setzero_si512();
    if (i < rows) v[i] = _mm512_maskz_loadu_epi32(mask, from + i * stride);
  }
}

INLINE void store_edge(char *to, MPJ_Aint stride, const __m512i v[], int k, MPJ_Count rows,
                       MPJ_Count cols)
{
  __mmask16 mask = words(cols, k);
  for (int i = 0; i < k; i++)
    if (i < rows) _mm512_mask_storeu_epi32(to + i * stride, mask, v[i]);
}

/* Less than a square: unit by unit it costs a store a unit, as part of a square a good part of a
 * square's time. */
#define DEFINE_SQUARE(unit)                                                                        \
  INLINE void square_##unit(char *to, MPJ_Aint to_stride, const char *from, MPJ_Aint from_stride,  \
                            bool stream)                                                           \
  {                                                                                                \
    __m512i v[SQUARE_##unit];                                                                      \
    load_rows(v, from, from_stride, SQUARE_##unit);                                                \
    registers_##unit(v);                                                                           \
    store_rows(to, to_stride, v, SQUARE_##unit, stream);                                           \
  }                                                                                                \
  static void edge_##unit(char *to, MPJ_Aint to_stride, const char *from, MPJ_Aint from_stride,    \
                          MPJ_Count rows, MPJ_Count cols)                                          \
  {                                                                                                \
    __m512i v[SQUARE_##unit];                                                                      \
    if (2 * rows <= SQUARE_##unit || 2 * cols <= SQUARE_##unit) {                                  \
      units_##unit(to, to_stride, from, from_stride, rows, cols);                                  \
      return;                                                                                      \
    }                                                                                              \
    load_edge(v, from, from_stride, SQUARE_##unit, rows, cols);                                    \
    registers_##unit(v);                                                                           \
    store_edge(to, to_stride, v, SQUARE_##unit, cols, rows);                                       \
  }

DEFINE_SQUARE(4)
DEFINE_SQUARE(8)
DEFINE_SQUARE(16)

#define TRANSPOSE_SET mpj_transposes_avx512
#include "pack/kernels/transpose_loops.h"
