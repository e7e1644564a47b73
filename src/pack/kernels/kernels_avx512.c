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
#include <string.h>

#include "base/least.h"
#include "pack/kernels/kernels.h"
#include "pack/kernels/kernels_far_avx512.h"
#include "pack/kernels/kernels_inline.h"
#include "pack/kernels/kernels_lists_avx512.h"

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

INLINE void copy_vector(char *to, const char *from, size_t n)
{
  (void)n;
  _mm512_storeu_si512(to, _mm512_loadu_si512(from));
}

#define COPY_64 copy_vector
#define COPY_12 copy_masked_16
#define COPY_to_16 copy_masked_16

/* ceil(65536 / n). */
#define INVERSE(n) (65536 + (n)-1) / (n)
#define INVERSE_4(n) INVERSE(n), INVERSE((n) + 1), INVERSE((n) + 2), INVERSE((n) + 3)
#define INVERSE_16(n) INVERSE_4(n), INVERSE_4((n) + 4), INVERSE_4((n) + 8), INVERSE_4((n) + 12)
static const uint32_t inverses[VECTOR + 1] = {0, INVERSE_16(1), INVERSE_16(17), INVERSE_16(33),
                                              INVERSE_16(49)};

/* a / b for b in [1, 64] and a * b < 65536: the product exceeds 65536 * a / b by less than
 * a, and so by less than 65536 / b, which does not reach the next whole number. No
 * division: the handful before each kernel would cost as much as ten blocks. */
INLINE MPJ_Count quotient(MPJ_Count a, MPJ_Count b)
{
  return (MPJ_Count)((uint32_t)a * inverses[b] >> 16);
}

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
  __m512i inverse = _mm512_set1_epi16((short)inverses[unit]);
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

/* The blocks that remain, at most k, under masks. */
INLINE void pack_rest(const char *mem, MPJ_Aint stride, char *other, MPJ_Count block, MPJ_Count n,
                      __m512i places)
{
  MPJ_Count span = (n - 1) * stride + block;
  __m512i low = _mm512_maskz_loadu_epi8(low_bits(mpj_least(span, VECTOR)), mem);
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
  MPJ_Count span = (k - 1) * stride + block;
  /* So many must be ahead that no load or store goes too far. */
  MPJ_Count ahead = span < VECTOR ? quotient(VECTOR - block + stride - 1, stride) + 1 : k;
  MPJ_Count room = packed == VECTOR ? k : quotient(VECTOR + block - 1, block);
  if (ahead < room) ahead = room;
  __mmask64 second = span > VECTOR ? low_bits(span - VECTOR) : 0;
  bool half = packed <= VECTOR / 2;
  for (; count >= ahead; count -= k, mem += forward, other += packed) {
    __m512i v = _mm512_permutex2var_epi8(_mm512_loadu_si512(mem), places,
                                         _mm512_maskz_loadu_epi8(second, mem + VECTOR));
    if (half)
      _mm256_storeu_si256((__m256i *)other, _mm512_castsi512_si256(v));
    else
      _mm512_storeu_si512(other, v);
  }
  for (; count > 0; count -= k, mem += forward, other += packed)
    pack_rest(mem, stride, other, block, mpj_least(k, count), places);
}

/* Where byte j of packed vector v lies, from the v'th vector of the layout on: blocks of
 * b bytes, b / 3 bytes apart. And for all j. */
#define QUARTER_AT(j, v, b) ((64 * (v) + (j)) / (b) * ((b) / 3) + (j))
#define QUARTER_4(j, v, b)                                                                         \
  QUARTER_AT(j, v, b), QUARTER_AT(j + 1, v, b), QUARTER_AT(j + 2, v, b), QUARTER_AT(j + 3, v, b)
#define QUARTER_16(j, v, b)                                                                        \
  QUARTER_4(j, v, b), QUARTER_4(j + 4, v, b), QUARTER_4(j + 8, v, b), QUARTER_4(j + 12, v, b)
#define QUARTER(v, b)                                                                              \
  {                                                                                                \
    QUARTER_16(0, v, b), QUARTER_16(16, v, b), QUARTER_16(32, v, b), QUARTER_16(48, v, b)          \
  }
#define QUARTERS(b)                                                                                \
  {                                                                                                \
    QUARTER(0, b), QUARTER(1, b), QUARTER(2, b)                                                    \
  }

/* For blocks of 6, 12 and 24 bytes. */
static const uint8_t quarter_places[3][3][VECTOR] = {QUARTERS(6), QUARTERS(12), QUARTERS(24)};

/* Three vectors out of four, for blocks that do not divide a vector and fill three
 * quarters of their stride: 12 of 16 bytes, say. Vector f comes out of the f'th and
 * the next, beginning inside a block. */
static __attribute__((noinline)) void pack_quarters(const char *mem, MPJ_Aint stride, char *other,
                                                    MPJ_Count block, MPJ_Count count)
{
  const uint8_t(*places)[VECTOR] = quarter_places[block / 12];
  __m512i places0 = _mm512_loadu_si512(places[0]);
  __m512i places1 = _mm512_loadu_si512(places[1]);
  __m512i places2 = _mm512_loadu_si512(places[2]);
  MPJ_Count turn = quotient(3 * VECTOR, block), one = quotient(VECTOR, block);
  __mmask64 last = low_bits(VECTOR - (stride - block));
  for (; count >= turn; count -= turn, mem += 4 * VECTOR, other += 3 * VECTOR) {
    __m512i a = _mm512_loadu_si512(mem), b = _mm512_loadu_si512(mem + VECTOR);
    __m512i c = _mm512_loadu_si512(mem + 2 * VECTOR);
    __m512i d = _mm512_maskz_loadu_epi8(last, mem + 3 * VECTOR);
    _mm512_storeu_si512(other, _mm512_permutex2var_epi8(a, places0, b));
    _mm512_storeu_si512(other + VECTOR, _mm512_permutex2var_epi8(b, places1, c));
    _mm512_storeu_si512(other + 2 * VECTOR, _mm512_permutex2var_epi8(c, places2, d));
  }
  for (; count > 0; count -= one, mem += one * stride, other += one * block)
    pack_rest(mem, stride, other, block, mpj_least(one, count), places0);
}

INLINE bool fits_quarters(MPJ_Count block, MPJ_Aint stride)
{
  return (block == 6 || block == 12 || block == 24) && 4 * block == 3 * stride;
}

/* A whole vector a turn out of three. Returns how many blocks it packed. */
static __attribute__((noinline)) MPJ_Count pack_wide(const char *mem, MPJ_Aint stride, char *other,
                                                     MPJ_Count block, MPJ_Count count)
{
  MPJ_Count k = quotient(VECTOR, block);
  __m512i places = spread(0, block, stride - block);
  __mmask64 last = _mm512_cmpge_epu8_mask(places, _mm512_set1_epi8((char)WINDOW));
  MPJ_Count ahead = quotient(WINDOW + VECTOR - block + stride - 1, stride) + 1, i = 0;
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
  MPJ_Count k = quotient(VECTOR, block);
  if (k * block != VECTOR) return false;
  MPJ_Aint span = (k - 1) * stride + block;
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
  MPJ_Count k = mpj_least(VECTOR / block, quotient(WINDOW - block, stride) + 1);
  if (k < WORTH_BLOCKS) return false;
  if (fits_quarters(block, stride)) {
    pack_quarters(mem, stride, other, block, count);
    return true;
  }
  MPJ_Count done = fits_wide(block, stride) ? pack_wide(mem, stride, other, block, count) : 0;
  pack_windows(mem + done * stride, stride, other + done * block, block, count - done, k);
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
  if (stride > VECTOR / 2 || quotient(VECTOR, stride) * stride != VECTOR) return false;
  MPJ_Count whole = quotient(VECTOR - block, stride) + 1;
  MPJ_Count halved = block + stride > VECTOR / 2 ? 1 : quotient(VECTOR / 2 - block, stride) + 1;
  bool half = 2 * halved > whole;
  if (half ? halved < 2 : whole < 3) return false;
  unpack_windows(mem, stride, other, block, count, half ? halved : whole, half);
  return true;
}

INLINE MPJ_Count pack_listed(const char *mem, const int32_t offsets[], char *other, MPJ_Count k,
                             MPJ_Count count)
{
  if (k == 4) return pack_vectors_4(mem, offsets, other, count);
  if (k == 8) return pack_vectors_8(mem, offsets, other, count);
  if (k == 12) return pack_vectors_12(mem, offsets, other, count);
  if (k == 24) return pack_vectors_24(mem, offsets, other, count);
  return 0;
}

INLINE MPJ_Count unpack_listed(char *mem, const int32_t offsets[], const char *other, MPJ_Count k,
                               MPJ_Count count)
{
  if (k == 4) return unpack_list_4(mem, offsets, other, count);
  if (k == 8) return unpack_list_8(mem, offsets, other, count);
  if (k == 24) return unpack_masked_24(mem, offsets, other, count);
  return 0;
}

INLINE MPJ_Count pack_far_vectors(char *to, const char *from, MPJ_Aint stride, MPJ_Count k,
                                  MPJ_Count count)
{
  if (k == 12) return pack_far_12(to, from, stride, count);
  if (k == 32 || k == 40 || k == 48) return pack_far_eights(to, from, stride, k, count);
  return 0;
}

INLINE void copy_dense(char *to, const char *from, size_t n)
{
  if (n <= VECTOR) {
    __mmask64 mask = low_bits((MPJ_Count)n);
    _mm512_mask_storeu_epi8(to, mask, _mm512_maskz_loadu_epi8(mask, from));
    return;
  }
  if (n <= WINDOW) {
    __m512i first = _mm512_loadu_si512(from), last = _mm512_loadu_si512(from + n - VECTOR);
    _mm512_storeu_si512(to, first);
    _mm512_storeu_si512(to + n - VECTOR, last);
    return;
  }
  if (is_for_memcpy(to, from, n)) {
    memcpy(to, from, n);
    return;
  }
  const char *end = from + n - WINDOW;
  char *to_end = to + n - WINDOW;
  __m512i y = _mm512_loadu_si512(end), z = _mm512_loadu_si512(end + VECTOR);
  /* The first vector to wherever it goes, all others to whole lines. */
  _mm512_storeu_si512(to, _mm512_loadu_si512(from));
  size_t skip = VECTOR - (uintptr_t)to % VECTOR;
  from += skip;
  to += skip;
  for (; from < end; from += WINDOW, to += WINDOW) {
    __m512i a = _mm512_loadu_si512(from), b = _mm512_loadu_si512(from + VECTOR);
    _mm512_storeu_si512(to, a);
    _mm512_storeu_si512(to + VECTOR, b);
  }
  _mm512_storeu_si512(to_end, y);
  _mm512_storeu_si512(to_end + VECTOR, z);
}

#define COPY_DENSE copy_dense
#define EXPAND expand_vectors
#define KERNEL_SET mpj_kernels_avx512
#define KERNEL_SET_NAME "avx512"
#include "pack/kernels/kernels_loops.h"
