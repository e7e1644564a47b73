/* This header moves listed blocks of 4, 8, 12 and 24 bytes for the AVX-512 set: packs
 * write whole vectors, and blocks of 24 bytes are moved by single loads and stores
 * under masks. With data in the first or second level cache (Zen 4, ns a block): pack
 * of 4 bytes 0.46 to 0.38, of 12 bytes 0.66 to 0.58, of 24 bytes 0.83 to 0.48; unpack of
 * 24 bytes 0.93 to 0.62. Out of memory masks cost more than they save. */
#ifndef MPJ_SRC_PACK_KERNELS_KERNELS_LISTS_AVX512_H
#define MPJ_SRC_PACK_KERNELS_KERNELS_LISTS_AVX512_H

#include "pack/kernels/kernels_lists.h"

INLINE __m128i load_four_4(const char *mem, const int32_t offsets[])
{
  return _mm_set_epi32((int)load_4(mem + offsets[3]), (int)load_4(mem + offsets[2]),
                       (int)load_4(mem + offsets[1]), (int)load_4(mem + offsets[0]));
}

INLINE MPJ_Count pack_vectors_4(const char *mem, const int32_t offsets[], char *other,
                                MPJ_Count count)
{
  MPJ_Count done = 0;
  for (; count - done >= 16; done += 16, offsets += 16, other += 64) {
    __m512i v = _mm512_castsi128_si512(load_four_4(mem, offsets));
    v = _mm512_inserti32x4(v, load_four_4(mem, offsets + 4), 1);
    v = _mm512_inserti32x4(v, load_four_4(mem, offsets + 8), 2);
    v = _mm512_inserti32x4(v, load_four_4(mem, offsets + 12), 3);
    _mm512_storeu_si512(other, v);
  }
  return done;
}

INLINE MPJ_Count pack_vectors_8(const char *mem, const int32_t offsets[], char *other,
                                MPJ_Count count)
{
  MPJ_Count done = 0;
  for (; count - done >= 8; done += 8, offsets += 8, other += 64) {
    __m512i v = _mm512_castsi256_si512(load_four_8(mem, offsets));
    _mm512_storeu_si512(other, _mm512_inserti64x4(v, load_four_8(mem, offsets + 4), 1));
  }
  return done;
}

enum { WORDS_3 = 7 }; /* a mask of three elements */

INLINE __m128i load_12(const char *from)
{
  return _mm_maskz_loadu_epi32(WORDS_3, from);
}

/* Four blocks a turn. A turn stores a whole vector, of which the next overwrites what
 * is too much. */
INLINE MPJ_Count pack_vectors_12(const char *mem, const int32_t offsets[], char *other,
                                 MPJ_Count count)
{
  const __m512i words = _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 0, 0, 0);
  MPJ_Count done = 0;
  for (; count - done >= 6; done += 4, offsets += 4, other += 48) {
    __m512i v = _mm512_castsi128_si512(load_12(mem + offsets[0]));
    v = _mm512_inserti32x4(v, load_12(mem + offsets[1]), 1);
    v = _mm512_inserti32x4(v, load_12(mem + offsets[2]), 2);
    v = _mm512_inserti32x4(v, load_12(mem + offsets[3]), 3);
    _mm512_storeu_si512(other, _mm512_permutexvar_epi32(words, v));
  }
  return done;
}

INLINE __m256i load_24(const char *from)
{
  return _mm256_maskz_loadu_epi64(WORDS_3, from);
}

/* Two blocks, in the lower 48 bytes. */
INLINE __m512i load_two_24(const char *mem, const int32_t offsets[])
{
  const __m512i words = _mm512_setr_epi64(0, 1, 2, 8, 9, 10, 0, 0);
  return _mm512_permutex2var_epi64(_mm512_castsi256_si512(load_24(mem + offsets[0])), words,
                                   _mm512_castsi256_si512(load_24(mem + offsets[1])));
}

/* Eight blocks, four pairs, make three vectors. */
INLINE MPJ_Count pack_vectors_24(const char *mem, const int32_t offsets[], char *other,
                                 MPJ_Count count)
{
  const __m512i first = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 8, 9);
  const __m512i second = _mm512_setr_epi64(2, 3, 4, 5, 8, 9, 10, 11);
  const __m512i third = _mm512_setr_epi64(4, 5, 8, 9, 10, 11, 12, 13);
  MPJ_Count done = 0;
  for (; count - done >= 8; done += 8, offsets += 8, other += 192) {
    __m512i a = load_two_24(mem, offsets), b = load_two_24(mem, offsets + 2);
    __m512i c = load_two_24(mem, offsets + 4), d = load_two_24(mem, offsets + 6);
    _mm512_storeu_si512(other, _mm512_permutex2var_epi64(a, first, b));
    _mm512_storeu_si512(other + 64, _mm512_permutex2var_epi64(b, second, c));
    _mm512_storeu_si512(other + 128, _mm512_permutex2var_epi64(c, third, d));
  }
  return done;
}

/* Of 16 blocks at a time as many candidates as the longest block has units, each in a lane of
 * its own; those that are none are squeezed out. */
INLINE int32_t *expand_16(__m512i displs, __m512i units, int32_t unit, int bits, int32_t *out)
{
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i number = _mm512_and_epi32(lane, _mm512_set1_epi32((1 << bits) - 1));
  const __m512i ahead = _mm512_mullo_epi32(number, _mm512_set1_epi32(unit));
  const __m512i block = _mm512_srl_epi32(lane, _mm_cvtsi32_si128(bits));
  for (int h = 0; h < 1 << bits; h++) {
    const __m512i of = _mm512_add_epi32(block, _mm512_set1_epi32(h * (16 >> bits)));
    const __m512i at = _mm512_add_epi32(_mm512_permutexvar_epi32(of, displs), ahead);
    const __mmask16 there = _mm512_cmpgt_epi32_mask(_mm512_permutexvar_epi32(of, units), number);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(there, at));
    out += __builtin_popcount(there);
  }
  return out;
}

static MPJ_Count expand_vectors(const int32_t displs[], const int32_t copies[], MPJ_Count n,
                                int32_t least, int32_t most, int32_t copies_in_unit, int32_t unit,
                                int32_t out[])
{
  (void)most;
  const __m512i reciprocal = _mm512_set1_epi32(65536 / copies_in_unit + 1);
  const __m512i fewest = _mm512_set1_epi32(least);
  int32_t *to = out;
  for (MPJ_Count i = 0; i < n; i += 16) {
    const __mmask16 some = (__mmask16)(n - i < 16 ? (1u << (n - i)) - 1 : 0xffffu);
    const __m512i d = _mm512_maskz_loadu_epi32(some, displs + i);
    __m512i u = _mm512_maskz_loadu_epi32(some, copies + i);
    u = _mm512_maskz_add_epi32(some, u, fewest);
    if (copies_in_unit > 1) u = _mm512_srli_epi32(_mm512_mullo_epi32(u, reciprocal), 16);
    if (!_mm512_cmpgt_epi32_mask(u, _mm512_set1_epi32(2)))
      to = expand_16(d, u, unit, 1, to);
    else if (!_mm512_cmpgt_epi32_mask(u, _mm512_set1_epi32(4)))
      to = expand_16(d, u, unit, 2, to);
    else
      to = expand_16(d, u, unit, 3, to);
  }
  return to - out;
}

INLINE MPJ_Count unpack_masked_24(char *mem, const int32_t offsets[], const char *other,
                                  MPJ_Count count)
{
  for (MPJ_Count i = 0; i < count; i++)
    _mm256_mask_storeu_epi64(mem + offsets[i], WORDS_3, load_24(other + 24 * i));
  return count;
}

#endif
