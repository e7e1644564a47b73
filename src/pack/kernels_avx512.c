/* This file makes the set of kernels for AVX-512 with byte permutes.
 *
 * Blocks at a small stride are taken out of 128 bytes of the layout by one
 * permute and stored as one vector; the way back is one permute and a store
 * under a mask that leaves the gaps alone. Blocks of 9 to 15 bytes are moved by
 * one load and one store under a mask, where plain code takes two of each; above,
 * masks lose where the data is not in a cache (24 bytes: 0.8 of plain speed). */
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#include "pack/kernels.h"
#include "pack/kernels_inline.h"

enum { VECTOR = 64, WINDOW = 128 }; /* bytes */

/* The lowest n bits, n <= 64. */
INLINE __mmask64 low_bits(MPJ_Count n)
{
  return _bzhi_u64(~UINT64_C(0), (unsigned)n);
}

/* One block of up to 16 bytes. */
INLINE void copy_masked_16(char *to, const char *from, size_t n)
{
  __mmask16 mask = (__mmask16)_bzhi_u32(0xffff, (unsigned)n);
  _mm_mask_storeu_epi8(to, mask, _mm_maskz_loadu_epi8(mask, from));
}

#define COPY_12 copy_masked_16
#define COPY_to_16 copy_masked_16

/* Lanes first, first + 1, ... first + 31, of 16 bits. */
INLINE __m512i count_from(MPJ_Count first)
{
  const __m512i lanes = _mm512_cvtepu8_epi16(
      _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                       22, 23, 24, 25, 26, 27, 28, 29, 30, 31));
  return _mm512_add_epi16(lanes, _mm512_set1_epi16((short)first));
}

/* For lanes j: j + j / unit * more. Exact for j * unit * unit < 65536. */
INLINE __m512i spread_half(__m512i j, MPJ_Count unit, MPJ_Count more)
{
  /* j / unit = j * ceil(65536 / unit) / 65536 for such small j. */
  __m512i inverse = _mm512_set1_epi16((short)((65536 + unit - 1) / unit));
  __m512i quotient = unit == 1 ? j : _mm512_mulhi_epu16(j, inverse);
  return _mm512_add_epi16(j, _mm512_mullo_epi16(quotient, _mm512_set1_epi16((short)more)));
}

/* 64 byte lanes: with j = first + lane, the low byte of j + j / unit * more - first. */
INLINE __m512i spread(MPJ_Count first, MPJ_Count unit, MPJ_Count more)
{
  __m512i start = _mm512_set1_epi16((short)first);
  __m512i low = spread_half(count_from(first), unit, more);
  __m512i high = spread_half(count_from(first + 32), unit, more);
  __m256i low_bytes = _mm512_cvtepi16_epi8(_mm512_sub_epi16(low, start));
  __m256i high_bytes = _mm512_cvtepi16_epi8(_mm512_sub_epi16(high, start));
  return _mm512_inserti64x4(_mm512_castsi256_si512(low_bytes), high_bytes, 1);
}

static MPJ_Count least(MPJ_Count a, MPJ_Count b)
{
  return a < b ? a : b;
}

/* The blocks that remain, at most k, under masks. */
INLINE void pack_rest(const char *mem, MPJ_Aint stride, char *other, MPJ_Count block, MPJ_Count n,
                      __m512i places)
{
  MPJ_Count span = (n - 1) * stride + block;
  __m512i low = _mm512_maskz_loadu_epi8(low_bits(least(span, VECTOR)), mem);
  __m512i high = low;
  if (span > VECTOR) high = _mm512_maskz_loadu_epi8(low_bits(span - VECTOR), mem + VECTOR);
  __m512i v = _mm512_permutex2var_epi8(low, places, high);
  _mm512_mask_storeu_epi8(other, low_bits(n * block), v);
}

/* k blocks a turn, out of two vectors. A turn stores a whole vector, of which the
 * next overwrites what is too much. */
static __attribute__((noinline)) void pack_windows(const char *mem, MPJ_Aint stride, char *other,
                                                   MPJ_Count block, MPJ_Count count, MPJ_Count k)
{
  __m512i places = spread(0, block, stride - block);
  MPJ_Aint forward = k * stride;
  MPJ_Count packed = k * block;
  /* So many must be ahead that neither a load nor a store goes too far. */
  MPJ_Count ahead = (WINDOW - block + stride - 1) / stride + 1;
  MPJ_Count room = (VECTOR + block - 1) / block;
  if (ahead < room) ahead = room;
  if (ahead < k) ahead = k;
  bool half = packed <= VECTOR / 2;
  for (; count >= ahead; count -= k, mem += forward, other += packed) {
    __m512i v =
        _mm512_permutex2var_epi8(_mm512_loadu_si512(mem), places, _mm512_loadu_si512(mem + VECTOR));
    if (half)
      _mm256_storeu_si256((__m256i *)other, _mm512_castsi512_si256(v));
    else
      _mm512_storeu_si512(other, v);
  }
  for (; count > 0; count -= k, mem += forward, other += packed)
    pack_rest(mem, stride, other, block, least(k, count), places);
}

/* Three vectors a turn, for blocks that do not divide a vector but three of them:
 * vector f begins inside a block, at `first`. Returns how many blocks it packed. */
static __attribute__((noinline)) MPJ_Count
pack_thirds(const char *mem, MPJ_Aint stride, char *other, MPJ_Count block, MPJ_Count count)
{
  MPJ_Count turn = 3 * VECTOR / block, one = VECTOR / block, two = 2 * VECTOR / block;
  MPJ_Count first1 = VECTOR % block, first2 = 2 * VECTOR % block;
  __m512i places0 = spread(0, block, stride - block);
  __m512i places1 = spread(first1, block, stride - block);
  __m512i places2 = spread(first2, block, stride - block);
  MPJ_Aint at1 = one * stride + first1, at2 = two * stride + first2;
  /* So many must be ahead that no load goes too far. */
  MPJ_Count ahead = turn + (WINDOW - block + stride - 1) / stride + 1, i = 0;
  for (; count - i >= ahead; i += turn, mem += turn * stride, other += 3 * VECTOR) {
    const char *m1 = mem + at1, *m2 = mem + at2;
    _mm512_storeu_si512(other, _mm512_permutex2var_epi8(_mm512_loadu_si512(mem), places0,
                                                        _mm512_loadu_si512(mem + VECTOR)));
    _mm512_storeu_si512(other + VECTOR, _mm512_permutex2var_epi8(_mm512_loadu_si512(m1), places1,
                                                                 _mm512_loadu_si512(m1 + VECTOR)));
    _mm512_storeu_si512(other + WINDOW, _mm512_permutex2var_epi8(_mm512_loadu_si512(m2), places2,
                                                                 _mm512_loadu_si512(m2 + VECTOR)));
  }
  return i;
}

/* Whether three vectors are a whole number of blocks, and each has its bytes
 * within a window, wherever in a block it begins. */
INLINE bool fits_thirds(MPJ_Count block, MPJ_Aint stride)
{
  if (block != 6 && block != 12 && block != 24) return false;
  return VECTOR + (VECTOR / block + 1) * (stride - block) <= WINDOW;
}

/* A whole vector a turn out of three. Returns how many blocks it packed. */
static __attribute__((noinline)) MPJ_Count pack_wide(const char *mem, MPJ_Aint stride, char *other,
                                                     MPJ_Count block, MPJ_Count count)
{
  MPJ_Count k = VECTOR / block;
  __m512i places = spread(0, block, stride - block);
  __mmask64 last = _mm512_cmpge_epu8_mask(places, _mm512_set1_epi8((char)WINDOW));
  MPJ_Count ahead = (WINDOW + VECTOR - block + stride - 1) / stride + 1, i = 0;
  for (; count - i >= ahead; i += k, mem += k * stride, other += VECTOR) {
    __m512i v =
        _mm512_permutex2var_epi8(_mm512_loadu_si512(mem), places, _mm512_loadu_si512(mem + VECTOR));
    v = _mm512_mask_permutexvar_epi8(v, last, places, _mm512_loadu_si512(mem + WINDOW));
    _mm512_storeu_si512(other, v);
  }
  return i;
}

/* Whether so many blocks make a vector and lie within three, but not two. */
INLINE bool fits_wide(MPJ_Count block, MPJ_Aint stride)
{
  if (VECTOR % block) return false;
  MPJ_Aint span = (VECTOR / block - 1) * stride + block;
  return span > WINDOW && span <= WINDOW + VECTOR;
}

/* A turn costs as much as about two and a half blocks one by one, the masks
 * beforehand as some ten. */
enum { WORTH_COUNT = 16, WORTH_BLOCKS = 3 };

INLINE bool pack_permuted(const char *mem, MPJ_Aint stride, char *other, MPJ_Aint other_stride,
                          MPJ_Count block, MPJ_Count count)
{
  if (count < WORTH_COUNT || other_stride != block || stride <= block || stride > VECTOR)
    return false;
  MPJ_Count k = least(VECTOR / block, (WINDOW - block) / stride + 1);
  if (k < WORTH_BLOCKS) return false;
  MPJ_Count done = 0;
  if (fits_thirds(block, stride))
    done = pack_thirds(mem, stride, other, block, count);
  else if (fits_wide(block, stride))
    done = pack_wide(mem, stride, other, block, count);
  mem += done * stride;
  other += done * block;
  count -= done;
  pack_windows(mem, stride, other, block, count, k);
  return true;
}

/* k blocks a turn, into `window` <= 64 bytes of the layout. */
static __attribute__((noinline)) void unpack_windows(char *mem, MPJ_Aint stride, const char *other,
                                                     MPJ_Count block, MPJ_Count count, MPJ_Count k,
                                                     bool half)
{
  /* Lane j holds stream byte j - j / stride * (stride - block), if it is below
   * the block's end, that is if j + j / stride * (256 - stride) mod 256 < block. */
  __m512i places = spread(0, stride, block - stride);
  __m512i inside = spread(0, stride, -stride);
  __mmask64 blocks = _mm512_cmplt_epu8_mask(inside, _mm512_set1_epi8((char)block));
  __mmask64 all = blocks & low_bits((k - 1) * stride + block), read = low_bits(k * block);
  MPJ_Aint forward = k * stride;
  MPJ_Count packed = k * block;
  for (; count >= k; count -= k, mem += forward, other += packed) {
    __m512i v = _mm512_permutexvar_epi8(places, _mm512_maskz_loadu_epi8(read, other));
    if (half)
      _mm256_mask_storeu_epi8(mem, (__mmask32)all, _mm512_castsi512_si256(v));
    else
      _mm512_mask_storeu_epi8(mem, all, v);
  }
  if (count == 0) return;
  __m512i rest = _mm512_maskz_loadu_epi8(low_bits(count * block), other);
  _mm512_mask_storeu_epi8(mem, blocks & low_bits((count - 1) * stride + block),
                          _mm512_permutexvar_epi8(places, rest));
}

/* A store of a whole vector costs as much as two blocks, of half a one as one,
 * if it stays within a cache line: strides that divide a vector. */
INLINE bool unpack_permuted(char *mem, MPJ_Aint stride, const char *other, MPJ_Aint other_stride,
                            MPJ_Count block, MPJ_Count count)
{
  if (count < WORTH_COUNT || other_stride != block || stride <= block) return false;
  if (stride > VECTOR / 2 || VECTOR % stride) return false;
  MPJ_Count whole = (VECTOR - block) / stride + 1;
  MPJ_Count halved = block + stride > VECTOR / 2 ? 1 : (VECTOR / 2 - block) / stride + 1;
  bool half = 2 * halved > whole;
  if (half ? halved < 2 : whole < 3) return false;
  unpack_windows(mem, stride, other, block, count, half ? halved : whole, half);
  return true;
}

#define KERNEL_SET mpj_kernels_avx512
#define KERNEL_SET_NAME "avx512"
#include "pack/kernels_loops.h"
