/* This file packs 4-byte and 8-byte units by gathers of AVX-512: what some
 * processors do faster than single loads (base/machine/cpu.h says which). */
#include <immintrin.h>
#include <string.h>

#include "pack/kernels/kernels.h"

enum { FOURS = 16, EIGHTS = 8 }; /* units of a vector */

void mpj_pack_gather_4(char *mem, const int32_t offsets[], char *other, MPJ_Count block,
                       MPJ_Count count, bool far)
{
  (void)far;
  for (; count >= FOURS; count -= FOURS, offsets += FOURS, other += FOURS * block) {
    __m512i v = _mm512_i32gather_epi32(_mm512_loadu_si512(offsets), mem, 1);
    _mm512_storeu_si512(other, v);
  }
  for (; count > 0; count--, offsets++, other += block)
    memcpy(other, mem + offsets[0], 4);
}

void mpj_pack_gather_8(char *mem, const int32_t offsets[], char *other, MPJ_Count block,
                       MPJ_Count count, bool far)
{
  (void)far;
  for (; count >= EIGHTS; count -= EIGHTS, offsets += EIGHTS, other += EIGHTS * block) {
    __m256i at = _mm256_loadu_si256((const __m256i *)offsets);
    _mm512_storeu_si512(other, _mm512_i32gather_epi64(at, mem, 1));
  }
  for (; count > 0; count--, offsets++, other += block)
    memcpy(other, mem + offsets[0], 8);
}
