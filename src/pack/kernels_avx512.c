/* This file makes the set of kernels for AVX-512 with byte permutes.
 *
 * Blocks at a small stride are taken out of 128 bytes of the layout by one
 * permute and stored as one vector; the way back is one permute and a store
 * under a mask that leaves the gaps alone. Blocks of odd sizes are moved by one
 * load and one store under a mask, where plain code takes two of each. */
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

INLINE void copy_masked_16(char *to, const char *from, size_t n)
{
  __mmask16 mask = (__mmask16)_bzhi_u32(0xffff, (unsigned)n);
  _mm_mask_storeu_epi8(to, mask, _mm_maskz_loadu_epi8(mask, from));
}

INLINE void copy_masked_32(char *to, const char *from, size_t n)
{
  __mmask32 mask = _bzhi_u32(UINT32_MAX, (unsigned)n);
  _mm256_mask_storeu_epi8(to, mask, _mm256_maskz_loadu_epi8(mask, from));
}

#define COPY_12 copy_masked_16
#define COPY_to_16 copy_masked_16
#define COPY_24 copy_masked_32
#define COPY_to_32 copy_masked_32

/* 0, 1, ... 31 as 16-bit lanes, from `first` on. */
INLINE __m512i count_from(int first)
{
  const __m512i bytes = _mm512_cvtepu8_epi16(
      _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                       22, 23, 24, 25, 26, 27, 28, 29, 30, 31));
  return _mm512_add_epi16(bytes, _mm512_set1_epi16((short)first));
}

/* For lanes 0 <= j < 64: j + j / unit * more. */
INLINE __m512i spread_half(__m512i j, MPJ_Count unit, MPJ_Count more)
{
  /* j / unit = j * ceil(2^16 / unit) / 2^16 for such small j. */
  __m512i inverse = _mm512_set1_epi16((short)((65536 + unit - 1) / unit));
  __m512i quotient = unit == 1 ? j : _mm512_mulhi_epu16(j, inverse);
  return _mm512_add_epi16(j, _mm512_mullo_epi16(quotient, _mm512_set1_epi16((short)more)));
}

/* The same for all 64 byte lanes; results below 256. */
INLINE __m512i spread(MPJ_Count unit, MPJ_Count more)
{
  __m256i low = _mm512_cvtepi16_epi8(spread_half(count_from(0), unit, more));
  __m256i high = _mm512_cvtepi16_epi8(spread_half(count_from(32), unit, more));
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
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
  __m512i places = spread(block, stride - block);
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
  __m512i places = spread(stride, block - stride);
  __m512i inside = spread(stride, -stride);
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

/* A store of a whole vector costs as much as two blocks, of half a one as one. */
INLINE bool unpack_permuted(char *mem, MPJ_Aint stride, const char *other, MPJ_Aint other_stride,
                            MPJ_Count block, MPJ_Count count)
{
  if (count < WORTH_COUNT || other_stride != block || stride <= block || stride > VECTOR / 2)
    return false;
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
