/* This header packs blocks of 12, 32, 40 and 48 bytes that come from memory, for the
 * AVX-512 set: eight blocks are loaded in pieces of 8 bytes, which never straddle two
 * cache lines if the data is aligned, straight into the vectors that the stream is
 * written in. Against groups of sixteen through a stage in the first-level cache, Zen 4, ns
 * a block: 420000 blocks 560 bytes apart, of 40 bytes 9.2 to 7.0, of 48 bytes 9.7 to 8.0,
 * of 32 bytes 7.0 to 6.9. Blocks of 16 and 24 bytes gain nothing, and those of 12 have a
 * way of their own. */
#ifndef MPJ_SRC_PACK_KERNELS_KERNELS_FAR_AVX512_H
#define MPJ_SRC_PACK_KERNELS_KERNELS_FAR_AVX512_H

#include "pack/kernels/kernels_lists.h"

enum { FAR_EIGHT = 8 }; /* blocks */

/* The address of stream byte s of blocks of k bytes. */
INLINE const char *far_place(const char *from, MPJ_Aint stride, MPJ_Count k, MPJ_Count s)
{
  return from + s / k * stride + s % k;
}

/* Stream bytes [s, s + 16), by two loads also where they adjoin. */
INLINE __m128i far_lane(const char *from, MPJ_Aint stride, MPJ_Count k, MPJ_Count s)
{
  const void *low = far_place(from, stride, k, s), *high = far_place(from, stride, k, s + 8);
  __m128d v = _mm_castsi128_pd(_mm_loadl_epi64(low));
  return _mm_castpd_si128(_mm_loadh_pd(v, high));
}

/* Stream bytes [s, s + 64). */
INLINE __m512i far_vector(const char *from, MPJ_Aint stride, MPJ_Count k, MPJ_Count s)
{
  __m512i v = _mm512_castsi128_si512(far_lane(from, stride, k, s));
  v = _mm512_inserti32x4(v, far_lane(from, stride, k, s + 16), 1);
  v = _mm512_inserti32x4(v, far_lane(from, stride, k, s + 32), 2);
  return _mm512_inserti32x4(v, far_lane(from, stride, k, s + 48), 3);
}

/* k a constant, a multiple of 8 from 32 to 48. All loads come before any store: the
 * compiler is told that each vector is wanted in a register. Returns how many blocks it
 * packed. */
INLINE MPJ_Count pack_far_eights(char *to, const char *from, MPJ_Aint stride, MPJ_Count k,
                                 MPJ_Count count)
{
  MPJ_Count done = 0;
  for (; count - done >= FAR_EIGHT; done += FAR_EIGHT, from += FAR_EIGHT * stride) {
    __m512i a = far_vector(from, stride, k, 0), b = far_vector(from, stride, k, 64);
    __m512i c = far_vector(from, stride, k, 128), d = far_vector(from, stride, k, 192);
    __m512i e = k > 32 ? far_vector(from, stride, k, 256) : a;
    __m512i f = k > 40 ? far_vector(from, stride, k, 320) : a;
    __asm__ volatile("" : "+v"(a), "+v"(b), "+v"(c), "+v"(d), "+v"(e), "+v"(f) : : "memory");
    _mm512_storeu_si512(to, a);
    _mm512_storeu_si512(to + 64, b);
    _mm512_storeu_si512(to + 128, c);
    _mm512_storeu_si512(to + 192, d);
    if (k > 32) _mm512_storeu_si512(to + 256, e);
    if (k > 40) _mm512_storeu_si512(to + 320, f);
    to += FAR_EIGHT * k;
  }
  return done;
}

INLINE void stage_12(char *to, const char *from)
{
  store_8(to, load_8(from));
  store_4(to + 8, load_4(from + 8));
}

INLINE void pack_eight_12(char *to, const char *from, MPJ_Aint stride)
{
  char stage[FAR_EIGHT * 12] __attribute__((aligned(32)));
  const char *half = from + 4 * stride;
  stage_12(stage, from);
  stage_12(stage + 12, from + stride);
  stage_12(stage + 24, from + 2 * stride);
  stage_12(stage + 36, from + 3 * stride);
  stage_12(stage + 48, half);
  stage_12(stage + 60, half + stride);
  stage_12(stage + 72, half + 2 * stride);
  stage_12(stage + 84, half + 3 * stride);
  __asm__ volatile("" : : : "memory"); /* or the stage is optimised away */
  for (int i = 0; i < FAR_EIGHT * 12; i += 32)
    _mm256_storeu_si256((__m256i *)(to + i), _mm256_load_si256((const __m256i *)(stage + i)));
}

/* Blocks of 12 bytes, through memory that stays in the first-level cache, in a loop of
 * 24 of them: 1.4 million blocks in five arrays, 128 bytes apart, cost 9.4 ms by 8 a turn,
 * 7.7 by 16, 6.8 by 24 and 7.5 by 32. (Straight into vectors: 9.4.) Returns how many
 * blocks it packed. */
INLINE MPJ_Count pack_far_12(char *to, const char *from, MPJ_Aint stride, MPJ_Count count)
{
  const MPJ_Count turn = 3 * FAR_EIGHT;
  MPJ_Count done = 0;
  for (; count - done >= turn; done += turn, from += turn * stride, to += turn * 12) {
    pack_eight_12(to, from, stride);
    pack_eight_12(to + 96, from + FAR_EIGHT * stride, stride);
    pack_eight_12(to + 192, from + 2 * FAR_EIGHT * stride, stride);
  }
  return done;
}

#endif
