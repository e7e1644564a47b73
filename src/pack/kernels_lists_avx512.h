/* This header moves listed blocks of 4, 8, 12 and 24 bytes for the AVX-512 set: packs
 * write whole vectors, and blocks of 24 bytes are moved by single loads and stores
 * under masks. With data in the first or second level cache (Zen 4, ns a block): pack
 * of 4 bytes 0.46 to 0.38, of 12 bytes 0.66 to 0.58, of 24 bytes 0.83 to 0.48; unpack of
 * 24 bytes 0.93 to 0.62. Out of memory masks cost more than they save. */
#ifndef MPJ_SRC_PACK_KERNELS_LISTS_AVX512_H
#define MPJ_SRC_PACK_KERNELS_LISTS_AVX512_H

#include "pack/kernels_lists.h"

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

INLINE MPJ_Count unpack_masked_24(char *mem, const int32_t offsets[], const char *other,
                                  MPJ_Count count)
{
  for (MPJ_Count i = 0; i < count; i++)
    _mm256_mask_storeu_epi64(mem + offsets[i], WORDS_3, load_24(other + 24 * i));
  return count;
}

#endif
